# SPDX-License-Identifier: GPL-2.0-only
"""The disassembly check, over small objects compiled for it."""

import os
import shutil
import subprocess
import tempfile
import unittest

from checkkit import direct
from labkit.errors import LabError

# A static call's key and trampoline, and a call and a tail call through it.
DIRECT = """\
	.globl __SCK__hpoll_one, __SCT__hpoll_one
	.data
__SCK__hpoll_one:
	.quad 0
	.section .static_call.text, "ax"
__SCT__hpoll_one:
	jmp	somewhere
	.text
	.globl caller
caller:
	call	__SCT__hpoll_one
	call	printk
	jmp	__SCT__hpoll_one
"""


@unittest.skipUnless(shutil.which("gcc") and shutil.which("objdump") and
                     os.uname().machine == "x86_64", "needs gcc and objdump on x86_64")
class Objects(unittest.TestCase):
    def check(self, text, suffix=".S", *options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "object" + suffix)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            out = os.path.join(folder, "object.o")
            subprocess.run(["gcc", "-c", "-O2", *options, "-o", out, path], check=True,
                           stdin=subprocess.DEVNULL)
            return direct.check(out)

    def test_direct_calls_pass_and_are_counted(self):
        self.assertEqual(self.check(DIRECT), ([], {"hpoll_one": 2}))

    def test_a_key_that_nothing_calls(self):
        wrong, _ = self.check(DIRECT.replace("call	__SCT__hpoll_one", "nop")
                              .replace("jmp	__SCT__hpoll_one", "ret"))
        self.assertEqual(wrong, ["no direct call by the key hpoll_one"])

    def test_no_key_at_all(self):
        wrong, _ = self.check("caller:\n\tcall printk\n")
        self.assertEqual(wrong, ["no static call key __SCK__hpoll_* in this module"])

    def test_taking_the_trampoline_s_address_is_no_call(self):
        wrong, calls = self.check(DIRECT.replace("call	__SCT__hpoll_one", "lea __SCT__hpoll_one(%rip), %rax")
                                  .replace("jmp	__SCT__hpoll_one", "ret"))
        self.assertEqual(calls, {"hpoll_one": 0})
        self.assertTrue(wrong)

    def test_every_kind_of_indirect_branch(self):
        for text in ("call *%rax", "jmp *%r11", "call *8(%rdi)", "jmp *table(,%rax,8)",
                     "notrack jmp *%rax", "call *pointer(%rip)", "lcall *(%rax)",
                     "call __x86_indirect_thunk_rax", "jmp __x86_indirect_thunk_r11",
                     "cs call __x86_indirect_thunk_rbx", "jne __x86_indirect_thunk_rcx"):
            with self.subTest(text=text):
                wrong, _ = self.check(DIRECT + f"\t{text}\n")
                self.assertEqual(len(wrong), 1, wrong)
                self.assertIn("in caller (.text)", wrong[0])

    def test_who_traces_may_be_called_so(self):
        for branch in ("call *%rax", "call __x86_indirect_thunk_rax"):
            text = f"\t.globl NAME\nNAME:\n\t{branch}\n\tret\n"
            self.assertEqual(self.check(DIRECT + text.replace("NAME", "__traceiter_hpoll_x"))[0],
                             [], branch)
            self.assertEqual(len(self.check(DIRECT + text.replace("NAME", "other"))[0]), 1,
                             branch)

    def test_returns_and_paravirt_calls_are_no_fault(self):
        self.assertEqual(self.check(DIRECT + "\tret\n\tjmp __x86_return_thunk\n"
                                    "\tcall *pv_ops+248(%rip)\n")[0], [])

    def test_what_follows_a_paravirt_call_is_still_seen(self):
        wrong, _ = self.check(DIRECT + "\tcall *pv_ops+248(%rip)\n\tcall *%rax\n")
        self.assertEqual(len(wrong), 1)

    def test_a_function_pointer_in_c(self):
        text = "extern int (*hook)(void);\nint hpoll(void)\n{\n\treturn hook() + 1;\n}\n"
        for options in ((), ("-mindirect-branch=thunk-extern", "-fcf-protection=none")):
            with self.subTest(options=options):
                wrong, _ = self.check(text, ".c", *options)
                self.assertTrue(any(w.startswith("indirect, in hpoll") for w in wrong), wrong)

    def test_no_object(self):
        with self.assertRaises(LabError):
            direct.check("/nonexistent.ko")
