# SPDX-License-Identifier: GPL-2.0-only
"""Kernels of several Debian releases: names, sources, and the matrix's table."""

import os
import sys
import tempfile
import unittest
from unittest import mock

SCRIPTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, SCRIPTS)

from labkit import archive, debugkernel, headers, kernels, matrix, packages, spec  # noqa: E402
from labkit.errors import LabError  # noqa: E402

INDEXES = """\
'http://mirror.test/debian/dists/bookworm/InRelease' mirror.test_debian_dists_bookworm_InRelease 0
'http://mirror.test/debian/dists/bookworm-updates/InRelease' mirror.test_x 0
'http://sec.test/debian-security/dists/bookworm-security/InRelease' sec.test_x 0
'http://other.test/stuff/dists/nodistro/InRelease' other.test_x 0
'http://mirror.test/debian/dists/bookworm/main/binary-amd64/Packages.xz' mirror.test_y 0
"""


class Archives(unittest.TestCase):
    def test_mirrors(self):
        self.assertEqual(archive.mirrors(INDEXES, "bookworm"),
                         ("http://mirror.test/debian", "http://sec.test/debian-security"))

    def test_mirrors_by_alias(self):
        self.assertEqual(archive.mirrors(INDEXES.replace("bookworm", "stable"), "bookworm"),
                         ("http://mirror.test/debian", "http://sec.test/debian-security"))

    def test_not_debian(self):
        self.assertEqual(archive.mirrors(INDEXES.replace("bookworm", "noble"), "noblest"),
                         (None, None))
        self.assertEqual(archive.mirrors("", "bookworm"), (None, None))

    def test_sources(self):
        self.assertEqual(archive.sources("bullseye", "http://m", "http://s", "/k"),
                         "deb [signed-by=/k] http://m bullseye main\n"
                         "deb [signed-by=/k] http://s bullseye-security main\n")
        self.assertEqual(archive.sources("sid", "http://m", "http://s", ""),
                         "deb http://m sid main\n")
        self.assertEqual(archive.sources("bullseye", "http://m", None, ""),
                         "deb http://m bullseye main\n")

    def lists(self, wrong, fetched):
        """What apt() does where fetching the lists goes `wrong`, if any were `fetched`."""
        with tempfile.TemporaryDirectory() as cache, \
                mock.patch.object(packages, "cache_dir", lambda: cache), \
                mock.patch.object(packages, "indexes", lambda: INDEXES), \
                mock.patch.object(packages, "lists_age", lambda: "2"), \
                mock.patch.object(archive, "own_release", lambda: "bookworm"), \
                mock.patch.object(archive.progress, "say"), \
                mock.patch.object(packages, "update", return_value=wrong) as update:
            stamp = os.path.join(cache, "apt", "sid", "fetched")
            if fetched:
                packages.remember(stamp, fetched)
            archive.apt("sid")
            return update.call_count, packages.read(stamp)

    def test_lists_are_as_fresh_as_the_machine_s(self):
        self.assertEqual(self.lists("", ""), (1, "2"))
        self.assertEqual(self.lists("", "1"), (1, "2"))
        self.assertEqual(self.lists("", "2"), (0, "2"))

    def test_lists_that_cannot_be_fetched(self):
        self.assertEqual(self.lists("E: no network", "1"), (1, "1"))
        with self.assertRaisesRegex(LabError, "Debian sid's package lists: E: no network"):
            self.lists("E: no network", "")

    def test_own_release_needs_no_apt_of_its_own(self):
        with mock.patch.object(archive, "own_release", lambda: "bookworm"):
            self.assertEqual(archive.apt("bookworm"), [])


class Names(unittest.TestCase):
    def test_suite(self):
        for name, suite in (("5.10", "bullseye"), ("5.10.0-46-cloud-amd64", "bullseye"),
                            ("6.1", "bookworm"), ("6.12-rt", "bookworm"),
                            ("6.12.117+deb12-rt-amd64", "bookworm"), ("sid", "sid"),
                            ("7.2", "sid"), ("7.2.13+deb14-cloud-amd64", "sid")):
            self.assertEqual(kernels.suite(name), suite, name)

    def test_pick(self):
        for name, offered, full in (
                ("5.10", "linux-image-5.10.0-46-cloud-amd64", "5.10.0-46-cloud-amd64"),
                ("6.1", "linux-image-6.12.117+deb12-cloud-amd64", None),
                ("6.12", "linux-image-6.12.117+deb12-cloud-amd64-unsigned",
                 "6.12.117+deb12-cloud-amd64"),
                ("6.12-rt", "linux-image-6.12.117+deb12-rt-amd64", "6.12.117+deb12-rt-amd64"),
                ("6.12-rt", "linux-image-6.12.117+deb12-cloud-amd64", None),
                ("6.12", "linux-image-6.12.117+deb12-rt-amd64", None),
                ("sid", "linux-image-7.3.1+deb14-cloud-amd64", "7.3.1+deb14-cloud-amd64"),
                ("7.2", "linux-image-7.3.1+deb14-cloud-amd64", None)):
            self.assertEqual(kernels.pick(name, ["linux-base", offered]), full, name)

    def test_bad_names(self):
        for name in ("", "6", "6.12.1", "rt", "6.12-", "6.12-rt-rt", "sid-cloud", "../6.1"):
            with self.assertRaisesRegex(LabError, "unknown kernel", msg=name):
                kernels.check(name)

    def test_compiler(self):
        text = "CC = $(CROSS_COMPILE)gcc-10\n"
        self.assertEqual(headers.own_compiler(text, lambda name: name == "gcc-10"), text)
        self.assertEqual(headers.own_compiler(text, lambda name: False),
                         "CC = $(CROSS_COMPILE)gcc\n")


def guest(verdict="pass", tests=((5, 0, 1),), **change):
    return {"kernel": "6.12.1-rt-amd64", "accel": "tcg", "verdict": verdict,
            "tests": [dict(zip(("ok", "failed", "skipped"), t)) for t in tests], **change}


class Table(unittest.TestCase):
    def test_counts(self):
        row = matrix.row("6.12-rt", [guest(), guest(accel="kvm", tests=((1, 0, 0), (2, 0, 3)))],
                         ("9x", "8x"))
        self.assertEqual((row.passed, row.failed, row.skipped), (8, 0, 4))
        self.assertEqual(row.accels, ["tcg", "kvm"])
        self.assertTrue(row.good)

    def test_failures(self):
        row = matrix.row("sid", [guest("fail", ((5, 2, 0),))], ("-", "-"))
        self.assertEqual((row.failed, row.good), (2, False))

    def test_a_guest_that_died_is_a_failure(self):
        for verdict in ("panic", "timeout", "lab-error", "fail"):
            row = matrix.row("sid", [guest(), guest(verdict)], ("-", "-"))
            self.assertEqual((row.failed, row.good), (1, False), verdict)

    def test_nothing_ran(self):
        self.assertFalse(matrix.row("sid", [], ("-", "-")).good)
        self.assertFalse(matrix.Row("sid", problem="no network").good)

    def test_label(self):
        self.assertEqual(matrix.label("sid", "7.2.13+deb14-cloud-amd64"), "7.2 (sid)")
        self.assertEqual(matrix.label("6.12-rt", "6.12.117+deb12-rt-amd64"), "6.12-rt")
        self.assertEqual(matrix.label("5.10", "5.10.0-46-cloud-amd64"), "5.10")
        self.assertEqual(matrix.label("sid", "?"), "sid")

    def test_table(self):
        lines = matrix.table([matrix.row("6.12-rt", [guest()], ("9x", "8x")),
                              matrix.Row("sid", problem="a | b")])
        self.assertEqual(lines[2], "| 6.12-rt | 6.12.1-rt-amd64 | tcg | 5 | 0 | 1 | 9x | 8x |")
        self.assertEqual(lines[3], "| sid | ? | not run: a \\| b | - | - | - | - | - |")
        self.assertEqual({line.replace("\\|", "").count("|") for line in lines}, {9})

    def test_replace(self):
        text = f"a\n{matrix.BEGIN}\nold\n{matrix.END}\nb\n"
        once = matrix.replace(text, ["new"])
        self.assertEqual(once, f"a\n{matrix.BEGIN}\n\nnew\n\n{matrix.END}\nb\n")
        self.assertEqual(matrix.replace(once, ["new"]), once)

    def test_rows_of_kernels_that_were_not_run_stay(self):
        kernels_ = ["5.10", "6.12", "6.12-rt", "sid"]
        text = f"{matrix.BEGIN}\n\n{matrix.END}"
        for name in ("sid", "6.12-rt", "6.12", "sid"):
            one = matrix.row(name, [dict(guest(), kernel="7.2.1-amd64" if name == "sid" else
                                         "6.12.1-amd64")], ("9x", "8x"))
            text = matrix.replace(text, matrix.merge(text, [one], kernels_))
        cells = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("|")]
        self.assertEqual(cells, ["| kernel", "| ---", "| 6.12",
                                 "| 6.12-rt", "| 7.2 (sid)"])
        # A newer version of the same name takes the old one's place.
        one = matrix.row("sid", [dict(guest(), kernel="7.3.1-amd64")], ("9x", "8x"))
        self.assertEqual(len(matrix.merge(text, [one], kernels_)), 5)

    def test_replace_needs_its_markers(self):
        for text in ("", matrix.BEGIN, matrix.END + matrix.BEGIN, 2 * (matrix.BEGIN + matrix.END),
                     matrix.BEGIN + matrix.END + matrix.BEGIN):
            with self.assertRaisesRegex(LabError, "README"):
                matrix.replace(text, ["new"])


class Plan(unittest.TestCase):
    def test_one_kernel_for_all(self):
        plan = os.path.join(os.path.dirname(SCRIPTS), "selftests", "guests.toml")
        found = spec.load_plan(plan, kernel="6.12-rt")
        self.assertNotIn("debug-6.12-rt", [s.name for s in found])
        self.assertEqual({s.kernel for s in found}, {"6.12-rt"})
        self.assertEqual(len({s.name for s in found}), len(found))
        only = spec.load_plan(plan, kernel="6.12-rt", only=[found[0].name.removesuffix("-6.12-rt")])
        self.assertEqual([s.name for s in only], [found[0].name])

    def test_every_kernel_is_tested(self):
        plan = os.path.join(os.path.dirname(SCRIPTS), "selftests", "guests.toml")
        tests = {}
        for guest_spec in spec.load_plan(plan):
            tests.setdefault(guest_spec.kernel, set()).update(map(spec.test_name, guest_spec.tests))
        tests.pop(debugkernel.NAME)
        self.assertEqual(set(tests), set(spec.read_plan(plan)["matrix"]))
        for kernel, names in tests.items():
            self.assertLessEqual({"load", "governor", "latency"}, names, kernel)


if __name__ == "__main__":
    unittest.main()
