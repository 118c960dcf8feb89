"""The Prometheus rules: promtool takes them, their cases hold, what they ask for is exported, and the
documentation tells of each alert."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
RULES = SOURCE / 'deploy' / 'prometheus'
AUTOSCALER_PAGE = SOURCE / 'metrics' / 'autoscale_page.cpp'


def promtool():
    below_build = 'tools/prometheus/usr/bin/promtool'
    places = [os.environ.get('SLUICE_PROMTOOL', ''), f"{os.environ.get('SLUICE_BINARY', '')}/{below_build}",
              str(SOURCE / 'build' / below_build)]
    return next((place for place in places if os.access(place, os.X_OK)), shutil.which('promtool'))


def exported():
    """Every series of the golden pages, and of the autoscaler's page."""
    names = set()
    for page in (SOURCE / 'tests' / 'metrics').glob('*.prom'):
        names |= {re.match(r'[a-z0-9_]+', line).group() for line in page.read_text().splitlines()
                  if line and not line.startswith('#')}
    return names | set(re.findall(r'"(sluice_autoscaler_\w+)"', AUTOSCALER_PAGE.read_text()))


def metrics_of(query):
    """The metrics that a query names; its labels and strings are left out."""
    bare = re.sub(r'"[^"]*"', '', query)
    return set(re.findall(r'(?<![\w:])(?:sluice_|process_)[a-z0-9_]+', bare))


def recordings_of(query):
    return set(re.findall(r'sluice:[a-z_:]+', query))


def rules(path):
    """Each rule as (kind, name, its text)."""
    parts = re.split(r'^  - (?=alert:|record:)', path.read_text(), flags=re.MULTILINE)
    return [(*re.match(r'(alert|record): (\S+)', part).groups(), part) for part in parts[1:]]


def expression(rule):
    """Of the text of a rule, with what is folded over several lines."""
    found = re.search(r'^    expr: (?:>-\n)?((?:.*\n)(?:      .*\n)*)', rule, flags=re.MULTILINE)
    return found.group(1)


ALERTS = rules(RULES / 'alerts.yml')
RECORDS = rules(RULES / 'rules.yml')


class Asked(unittest.TestCase):
    def test_everything_asked_for_is_exported_or_recorded(self):
        names = exported()
        recorded = {name for _, name, _ in RECORDS}
        for _, name, text in ALERTS + RECORDS:
            with self.subTest(name):
                self.assertLessEqual(metrics_of(expression(text)), names)
                self.assertLessEqual(recordings_of(expression(text)), recorded)

    def test_each_alert_says_what_is_wrong_and_what_to_do(self):
        for _, name, text in ALERTS:
            with self.subTest(name):
                for part in ('      summary: "', '      todo: "', 'labels: {severity: '):
                    self.assertIn(part, text)

    def test_each_alert_is_explained(self):
        page = (SOURCE / 'docs' / 'monitoring.md').read_text()
        self.assertEqual(re.findall(r'^\| `(Sluice\w+)` \|', page, flags=re.MULTILINE),
                         [name for _, name, _ in ALERTS])

    def test_each_alert_has_its_cases(self):
        cases = (SOURCE / 'tests' / 'deploy' / 'alerts_test.yml').read_text()
        for _, name, _ in ALERTS:
            with self.subTest(name):
                self.assertRegex(cases, rf'alertname: {name}\n    eval_time: \w+\n    exp_alerts:\n    - exp_labels')


@unittest.skipUnless(promtool(), 'promtool is not there')
class Promtool(unittest.TestCase):
    def expect_success(self, *arguments):
        done = subprocess.run([promtool(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
        print(done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_rules_are_rules(self):
        self.expect_success('check', 'rules', RULES / 'rules.yml', RULES / 'alerts.yml')

    def test_their_cases_hold(self):
        folder = SOURCE / 'tests' / 'deploy'
        self.expect_success('test', 'rules', folder / 'rules_test.yml', folder / 'alerts_test.yml')


if __name__ == '__main__':
    unittest.main()
