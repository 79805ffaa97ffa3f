#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In a guest: record the idle periods of real programs, and send them to the lab.
# The disk has the programs; what is recorded is the kernel's own idle, without hpoll.

# shellcheck source=selftests/lib/tap.sh
. "$HPOLL_LIB/tap.sh"

# Of each CPU's trace, from where it has settled.
LONG=1000
SKIP=200
MOST=10000
CHUNK=900

on_cpu() {
	on_cpu_mask=$(printf %x $((1 << $1)))
	shift
	taskset "$on_cpu_mask" "$@"
}

# send FILE NAME: as lines of the lab's channel
send() {
	skip=1
	[ "$(wc -l <"$1")" -lt "$LONG" ] || skip=$SKIP
	tail -n "+$skip" "$1" | head -n "$MOST" | gzip -9 | base64 -w "$CHUNK" >/tmp/encoded
	part=0
	while IFS= read -r line; do
		lab data "{\"trace\":\"$2\",\"part\":$part,\"base64\":\"$line\"}"
		part=$((part + 1))
	done </tmp/encoded
}

# record NAME OPTION-OR-COMMAND...
record() {
	name=$1
	shift
	rm -f /tmp/idle.cpu*
	hpoll-record -o /tmp/idle -b 16384 "$@" >/tmp/said 2>&1
	status=$?
	diag "$name: $(tail -n 20 /tmp/said)"
	check "$name is recorded" [ "$status" = 0 ]
	for file in /tmp/idle.cpu*; do
		send "$file" "$name-${file##*.}"
	done
}

prepare() {
	mkdir -p /mnt && mount -t ext4 /dev/vda /mnt && mount -t proc proc /mnt/proc &&
		mount --bind /sys /mnt/sys && mount --bind /dev /mnt/dev &&
		mount -t tmpfs tmpfs /mnt/root && cp -r /programs/hpoll /mnt/root/ &&
		ifconfig lo 127.0.0.1 up
}

check "the disk is there" prepare
disk="env PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot /mnt"
io="$disk fio --name=io --filename=/io --size=64m --bs=4k --ioengine=psync --direct=1
	--time_based --runtime=8"

record rest -t 20
record pingpong "$HPOLL_LIB/pingpong" -n 8000
# shellcheck disable=SC2086 # words, here and below
{
	record fio-seq-read $io --rw=read
	record fio-rand-sync $io --rw=randrw --sync=1

	# A server on one CPU, its client on the other or where it likes.
	on_cpu 1 $disk sockperf server --tcp -i 127.0.0.1 -p 11111 >/dev/null 2>&1 &
	sleep 1
	record tcp-request-response $disk sockperf ping-pong --tcp -i 127.0.0.1 -p 11111 -t 6
	kill $!

	# While they run these two leave hardly a CPU idle; in short runs they do.
	record hackbench $disk sh -c "$(yes "hackbench -g 1 -f 4 -l 30;" | head -n 25)"
	record sysbench-mutex $disk sh -c "$(yes "sysbench mutex --threads=4 --mutex-num=1 \
		--mutex-locks=500 --mutex-loops=500 run;" | head -n 10)"
	record cyclictest $disk cyclictest -q -t 2 -a -i 1000 -D 8
	record build $disk make -j 2 -s -C /root/hpoll/kunit/user O=/root/out \
		CFLAGS="-std=gnu11 -O1"

	on_cpu 1 $disk redis-server --save "" >/dev/null 2>&1 &
	sleep 2
	record redis $disk redis-benchmark -c 1 -n 6000 -t get,set -q
	kill $!
}
finish
