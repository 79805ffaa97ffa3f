// SPDX-License-Identifier: GPL-2.0-only
/*
 * kexec_load - load a kernel to go on with, after a kexec or after a crash
 *
 * usage: kexec_load reboot|crash KERNEL INITRD CMDLINE
 *	  kexec_load go
 *
 * What kexec-tools do with `kexec -s -l`, `kexec -s -p` and `kexec -e`, in a
 * static program for guests that have no C library.
 */

#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/kexec.h>
#include <linux/reboot.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

int main(int argc, char **argv)
{
	unsigned long flags = 0;

	if (argc == 2 && !strcmp(argv[1], "go")) {
		sync();
		syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
			LINUX_REBOOT_CMD_KEXEC, NULL);
		err(1, "reboot");
	}

	if (argc != 5 || (strcmp(argv[1], "reboot") && strcmp(argv[1], "crash")))
		errx(2, "usage: kexec_load reboot|crash KERNEL INITRD CMDLINE, or kexec_load go");
	if (!strcmp(argv[1], "crash"))
		flags = KEXEC_FILE_ON_CRASH;

	if (syscall(SYS_kexec_file_load, open_file(argv[2]), open_file(argv[3]),
		    strlen(argv[4]) + 1, argv[4], flags))
		err(1, "kexec_file_load");
	return 0;
}
