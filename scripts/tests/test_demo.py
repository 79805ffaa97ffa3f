# SPDX-License-Identifier: GPL-2.0-only
"""The demo's arithmetic and its tables, over results as the lab gives them."""

import unittest

from demokit import figures, show


def measure(what, governor, round_, p50, ops=1000):
    return {"test": "latency", "value": {
        "what": what, "governor": governor, "round": round_, "ops": ops,
        "ns": {"p50": p50, "p99": 10 * p50}}}


def mixed(what, governor, round_, p50, vain):
    one = measure(what, governor, round_, p50)
    one["value"]["vain_ns"] = vain
    return one


def phase(**exits):
    return {"exits": exits}


def result(**changes):
    """Two rounds of menu and hpoll."""
    data = [{"test": "latency", "value": {"what": "gate", "gate": "auto", "result": "loaded",
                                          "driver": "hpoll", "log": ["hpoll: loaded"]}}]
    phases = {}
    for governor, trip, ipi, hlt in (("menu", 700000, 200000, 2000), ("hpoll", 20000, 4000, 10)):
        for round_ in (1, 2):
            data.append(measure("ipi", governor, round_, ipi * round_))
            data.append(measure("pingpong", governor, round_, trip * round_))
            phases[f"{governor}.ipi.{round_}"] = phase(HLT=hlt // 2, MSR=hlt)
            phases[f"{governor}.pingpong.{round_}"] = phase(PAUSE=1, HLT=hlt, NPF=30)
    return {"verdict": "pass", "reason": "", "cpu": "", "data": data, "phases": phases, **changes}


class Figures(unittest.TestCase):
    def test_form(self):
        found = figures.results("tcg", "6.12", {"hint": figures.case(result())})
        self.assertEqual(found["accel"], "tcg")
        menu = found["governors"]["menu"]
        self.assertEqual(menu["ipi_wake_ns_p50"], 300000)
        self.assertEqual(menu["pingpong_ns_p50"], 1050000)
        self.assertEqual(menu["pingpong_ns_p50_rounds"], [700000, 1400000])

    def test_exits_per_operation(self):
        hpoll = figures.case(result())["governors"]["hpoll"]
        self.assertEqual(hpoll["exits_per_op"], {"NPF": 0.03, "HLT": 0.01, "PAUSE": 0.001})
        self.assertEqual(hpoll["ipi_exits_per_op"], {"MSR": 0.01, "HLT": 0.005})

    def test_mixed_workloads(self):
        data = result()["data"]
        for round_, vain in ((1, 3000000), (2, 5000000)):
            data.append(mixed("alternating", "hpoll", round_, 10000 * round_, vain))
            data.append(mixed("alternating", "menu", round_, 300000, None))
        one = figures.case(result(data=data))["governors"]
        self.assertEqual(one["hpoll"]["mixed"], {"alternating": {
            "ns_p50": 15000, "rounds_ns_p50": [10000, 20000], "vain_ns_per_op": 4000}})
        self.assertIsNone(one["menu"]["mixed"]["alternating"]["vain_ns_per_op"])

    def test_no_mixed_workloads(self):
        self.assertEqual(figures.case(result())["governors"]["menu"]["mixed"], {})

    def test_exits_not_counted(self):
        phases = {name: {"exits": None} for name in result()["phases"]}
        hpoll = figures.case(result(phases=phases))["governors"]["hpoll"]
        self.assertIsNone(hpoll["exits_per_op"])

    def test_governor_that_was_not_measured(self):
        data = [d for d in result()["data"] if d["value"]["what"] != "ipi"
                or d["value"]["governor"] != "hpoll"]
        one = figures.case(result(data=data))
        self.assertEqual(figures.lacking(one, ["menu", "hpoll"]), ["hpoll"])

    def test_nothing_measured(self):
        one = figures.case(result(data=[], phases={}))
        self.assertEqual(one["governors"], {})
        self.assertEqual(figures.results("kvm", "6.12", {"hint": one})["governors"], {})


class Show(unittest.TestCase):
    def text(self, accel="kvm", **changes):
        return show.case("Title", "about", figures.case(result(**changes)), accel)

    def rows(self, governor):
        return [line.split() for line in self.text().splitlines() if line.startswith(governor)]

    def test_ratio_to_menu(self):
        times, exits = self.rows("hpoll")
        self.assertEqual(times[1:], ["6.0", "4.0-8.0", "50x", "30.0", "20.0-40.0", "35x"])
        self.assertEqual(exits[1:], ["0.01", "0.01", "0.01", "0.01", "0.03", "0.04"])

    def test_mixed_workloads(self):
        data = result()["data"]
        for what in ("alternating", "mostly-long"):
            data.append(mixed(what, "menu", 1, 300000, None))
            data.append(mixed(what, "hpoll", 1, 10000, 2000000))
        text = show.case("Title", "about", figures.case(result(data=data)), "kvm")
        self.assertIn("hpoll 2.0 and 2.0", text)
        rows = [line.split() for line in text.splitlines() if line.startswith("hpoll")]
        self.assertEqual(rows[1][1:], ["10.0", "10.0-10.0", "30x"] * 2)

    def test_mixed_workloads_were_not_measured(self):
        self.assertNotIn("gaps long", self.text())

    def test_no_gain_in_plain_tcg(self):
        self.assertNotIn("50x", self.text(accel="tcg"))
        self.assertIn("NO GAIN CAN BE SHOWN", " ".join(show.legend("tcg", {}, "").split()))

    def test_failure_shows(self):
        self.assertIn("FAILED: it fell over", self.text(verdict="fail", reason="it fell over"))

    def test_width(self):
        setup = {"rounds": 3, "gap_us": 60, "window_ns": 1000000}
        text = self.text() + "\n" + show.legend("nested-kvm-on-tcg", setup, "busy " * 30)
        self.assertLessEqual(max(map(len, text.splitlines())), show.WIDTH)


if __name__ == "__main__":
    unittest.main()
