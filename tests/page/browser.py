"""A headless Chromium, spoken to in the DevTools protocol over a pipe; the standard library only."""

import base64
import itertools
import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
import time

SWITCHES = ['--headless=new', '--remote-debugging-pipe', '--no-first-run', '--disable-gpu',
            '--disable-background-networking', '--disable-component-update', '--disable-sync',
            '--disable-default-apps', '--disable-extensions', '--disable-dev-shm-usage',
            '--hide-scrollbars', '--force-color-profile=srgb', '--font-render-hinting=none']


def find():
    for name in ('chromium', 'chromium-browser', 'google-chrome'):
        if path := shutil.which(name):
            return path
    return None


class Failure(Exception):
    """The browser did not do what it was asked."""


class Browser:
    def __init__(self, path):
        self.folder = tempfile.mkdtemp(prefix='sluice-page-')
        to_read, self.to_browser = os.pipe()
        self.from_browser, to_write = os.pipe()
        switches = SWITCHES + (['--no-sandbox'] if os.geteuid() == 0 else [])
        # The pipe's ends are descriptors 3 and 4 by definition.
        self.process = subprocess.Popen(
            ['bash', '-c', f'exec "$@" 3<&{to_read} 4>&{to_write}', 'bash', path, *switches,
             f'--user-data-dir={self.folder}', 'about:blank'],
            pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, 'TZ': 'UTC', 'LANG': 'C.UTF-8'})
        os.close(to_read)
        os.close(to_write)
        self.numbers = itertools.count(1)
        self.answers = {}
        self.pages = {}
        self.lock = threading.Lock()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        rest = b''
        while chunk := os.read(self.from_browser, 1 << 20):
            *messages, rest = (rest + chunk).split(b'\0')
            for message in messages:
                self.take(json.loads(message))
        for answer in list(self.answers.values()):
            answer.put({'error': {'message': 'the browser has gone'}})

    def take(self, message):
        if 'id' in message:
            self.answers.pop(message['id']).put(message)
        elif page := self.pages.get(message.get('sessionId')):
            page.events.append((message['method'], message['params']))

    def ask(self, method, session=None, timeout=60, **params):
        number = next(self.numbers)
        answer = self.answers[number] = queue.Queue()
        message = {'id': number, 'method': method, 'params': params}
        if session:
            message['sessionId'] = session
        with self.lock:
            os.write(self.to_browser, json.dumps(message).encode() + b'\0')
        try:
            told = answer.get(timeout=timeout)
        except queue.Empty:
            raise Failure(f'{method}: no answer within {timeout} s') from None
        if 'error' in told:
            raise Failure(f'{method}: {told["error"]["message"]}')
        return told['result']

    def open(self, url=None, prepare=None):
        """A new page. `prepare`: called with it before it loads `url`."""
        target = self.ask('Target.createTarget', url='about:blank')['targetId']
        session = self.ask('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        page = self.pages[session] = Page(self, session, target)
        for domain in ('Page', 'Runtime', 'Network', 'Log', 'Audits'):
            page.ask(f'{domain}.enable')
        if prepare:
            prepare(page)
        if url:
            page.go(url)
        return page

    def close(self):
        try:
            self.ask('Browser.close', timeout=10)
            self.process.wait(10)
        except (Failure, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Page:
    def __init__(self, browser, session, target):
        self.browser = browser
        self.session = session
        self.target = target
        self.events = []

    def ask(self, method, **params):
        return self.browser.ask(method, self.session, **params)

    def go(self, url):
        told = self.ask('Page.navigate', url=url)
        if 'errorText' in told:
            raise Failure(f'{url}: {told["errorText"]}')
        self.until('document.readyState === "complete"', 'the page has loaded')

    def run(self, script):
        """The value of an expression, awaited."""
        told = self.ask('Runtime.evaluate', expression=script, awaitPromise=True, returnByValue=True)
        if 'exceptionDetails' in told:
            what = told['exceptionDetails']
            raise Failure(f'{script}: {what.get("exception", what).get("description", what)}')
        return told['result'].get('value')

    def text(self, element):
        return self.run(f'document.getElementById({json.dumps(element)}).textContent')

    def until(self, script, what, seconds=30):
        """Waits until an expression is true; how long that took."""
        began = time.monotonic()
        while not self.run(f'!!({script})'):
            if time.monotonic() - began > seconds:
                raise Failure(f'not within {seconds} s: {what}')
            time.sleep(0.01)
        return time.monotonic() - began

    def front(self):
        """Only the page in front is visible."""
        self.ask('Page.bringToFront')

    def press(self, key, code=0):
        for kind in ('keyDown', 'keyUp'):
            self.ask('Input.dispatchKeyEvent', type=kind, key=key, code=key,
                     windowsVirtualKeyCode=code)

    def size(self, width, height, mobile=False, scale=1):
        self.ask('Emulation.setDeviceMetricsOverride', width=width, height=height,
                 deviceScaleFactor=scale, mobile=mobile)

    def scheme(self, name):
        self.ask('Emulation.setEmulatedMedia',
                 features=[{'name': 'prefers-color-scheme', 'value': name}])

    def picture(self, path):
        height = self.run('document.documentElement.scrollHeight')
        width = self.run('innerWidth')
        clip = {'x': 0, 'y': 0, 'width': width, 'height': height, 'scale': 1}
        told = self.ask('Page.captureScreenshot', format='png', captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(told['data']))

    def told(self, method):
        return [params for name, params in list(self.events) if name == method]

    def complaints(self):
        """Errors and warnings of the console, exceptions, and violations of the page's policy."""
        found = [f'{each["type"]}: {[arg.get("value") for arg in each["args"]]}'
                 for each in self.told('Runtime.consoleAPICalled')
                 if each['type'] in ('error', 'warning', 'assert')]
        found += [each['exceptionDetails']['text'] + ' ' +
                  each['exceptionDetails'].get('exception', {}).get('description', '')
                  for each in self.told('Runtime.exceptionThrown')]
        found += [f'{each["entry"]["text"]} {each["entry"].get("url", "")}'
                  for each in self.told('Log.entryAdded') if each['entry']['level'] != 'verbose']
        # Of the issues that it would like to see mended, those that concern forms do not concern us:
        # the chart library has a hidden field for a feature that is not used.
        found += [each['issue']['code'] for each in self.told('Audits.issueAdded')
                  if each['issue']['code'] != 'GenericIssue']
        return found

    def addresses(self):
        return [each['request']['url'] for each in self.told('Network.requestWillBeSent')]

    def received_bytes(self):
        """Of all answers that are over, as they came: with headers, and packed."""
        return sum(each['encodedDataLength'] for each in self.told('Network.loadingFinished'))

    def close(self):
        self.browser.ask('Target.closeTarget', targetId=self.target)
        self.browser.pages.pop(self.session, None)
