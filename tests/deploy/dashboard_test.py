"""The Grafana dashboard: whole, explained, every query one that Prometheus takes, of metrics that are there."""

import json
import re
import subprocess
import tempfile
import unittest

from rules_test import ALERTS, RECORDS, SOURCE, exported, expression, metrics_of, promtool, recordings_of

DASHBOARD = json.loads((SOURCE / 'deploy' / 'grafana' / 'sluice.json').read_text())
PANELS = [panel for panel in DASHBOARD['panels'] if panel['type'] != 'row']
KINDS = {'timeseries', 'stat', 'state-timeline'}  # Of a Grafana of today; graph and singlestat are gone.


def queries():
    """Where each stands, and what Prometheus is asked when nothing is chosen."""
    asked = [(f"{panel['title']} {target['refId']}", target['expr']) for panel in PANELS for target in panel['targets']]
    asked += [(note['name'], note['expr']) for note in DASHBOARD['annotations']['list'] if 'expr' in note]
    return [(place, query.replace('$__rate_interval', '5m').replace('$job', '.+').replace('$instance', '.+'))
            for place, query in asked]


class Dashboard(unittest.TestCase):
    def test_each_query_asks_for_what_is_there(self):
        names, recorded = exported(), {name for _, name, _ in RECORDS}
        for place, query in queries():
            with self.subTest(place):
                self.assertTrue(metrics_of(query) | recordings_of(query), query)
                self.assertLessEqual(metrics_of(query), names)
                self.assertLessEqual(recordings_of(query), recorded)
                self.assertNotIn('$', query)

    def test_the_variables_ask_for_what_is_there(self):
        variables = {each['name']: each for each in DASHBOARD['templating']['list']}
        self.assertEqual(list(variables), ['datasource', 'job', 'instance'])
        self.assertEqual(variables['datasource']['query'], 'prometheus')
        for name in ('job', 'instance'):
            self.assertLessEqual(metrics_of(variables[name]['definition']), exported())
            self.assertEqual(variables[name]['definition'], variables[name]['query']['query'])

    @unittest.skipUnless(promtool(), 'promtool is not there')
    def test_prometheus_takes_each_query(self):
        rules = {'groups': [{'name': 'dashboard', 'rules': [
            {'record': f'query:{number}', 'expr': query} for number, (_, query) in enumerate(queries())]}]}
        with tempfile.NamedTemporaryFile('w', suffix='.yml') as file:
            json.dump(rules, file)  # Which is YAML as well.
            file.flush()
            done = subprocess.run([promtool(), 'check', 'rules', '--lint=none', file.name], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn(f'{len(queries())} rules found', done.stdout)

    def test_each_panel_says_what_it_shows_and_in_which_unit(self):
        for panel in PANELS:
            with self.subTest(panel['title']):
                self.assertIn(panel['type'], KINDS)
                self.assertTrue(panel['description'])
                defaults = panel['fieldConfig']['defaults']
                self.assertTrue(defaults['unit'])
                self.assertTrue(defaults['thresholds']['steps'])
                for part in (panel, *panel['targets']):
                    self.assertEqual(part['datasource'], {'type': 'prometheus', 'uid': '${datasource}'})

    def test_its_frame_is_that_of_a_grafana_of_today(self):
        self.assertGreaterEqual(DASHBOARD['schemaVersion'], 39)
        self.assertNotIn('__inputs', DASHBOARD)
        numbers = [panel['id'] for panel in DASHBOARD['panels']]
        self.assertEqual(len(numbers), len(set(numbers)))

    def test_no_panel_lies_on_another_or_hangs_over(self):
        taken = set()
        for panel in DASHBOARD['panels']:
            place = panel['gridPos']
            self.assertLessEqual(place['x'] + place['w'], 24, panel['title'])
            cells = {(x, y) for x in range(place['x'], place['x'] + place['w'])
                     for y in range(place['y'], place['y'] + place['h'])}
            self.assertFalse(taken & cells, panel['title'])
            taken |= cells

    def test_what_alerts_are_about_can_be_seen(self):
        shown = set().union(*(metrics_of(query) for _, query in queries()))
        asked = set().union(*(metrics_of(expression(text)) for _, _, text in ALERTS))
        self.assertLessEqual(asked, shown | {'sluice_build_info', 'process_start_time_seconds'})


if __name__ == '__main__':
    unittest.main()
