"""Whether everybody can use the page: checks like those of checks.py."""

from need import need, settles


def the_keyboard_is_enough(world):
    """the keyboard"""
    world.page.run('document.activeElement.blur()')
    visited = []
    for _ in range(60):
        world.page.press('Tab', 9)
        at = world.page.run('document.activeElement.id || document.activeElement.getAttribute("href")')
        if visited and at == visited[-1]:
            continue  # A field of several parts.
        if not at or at in visited:
            break
        visited.append(at)
    for element in ('#waiting-title', 'points-chart', 'jobs-chart', 'cpu-chart', '/v1/status', '/metrics'):
        need(element in visited, f'Tab does not reach {element}: {visited}')
    # Two samples and the present: End, one to the left of it, and Home are three times.
    need(settles(lambda: len(world.daemon.ask('GET', '/v1/timeline')['age']) < 3, 20), 'no samples')
    world.page.run('document.getElementById("points-chart").focus()')
    readings = []
    for key, code in (('End', 35), ('ArrowLeft', 37), ('Home', 36), ('ArrowRight', 39)):
        world.page.press(key, code)
        readings.append(world.page.text('points-readout'))
    need(all('window' in each for each in readings), f'{readings}')
    need(len(set(readings[:3])) == 3, f'the keys move the cursor: {readings}')
    need(world.page.text('jobs-readout')[:8] == readings[-1][:8], 'both charts show the same time')
    world.page.press('Escape', 27)
    need(world.page.text('points-readout') == '', 'Escape takes the cursor away')
    return f'{len(visited)} stops'


def everything_has_a_name(world):
    """accessible names"""
    world.page.ask('Accessibility.enable')
    nodes = world.page.ask('Accessibility.getFullAXTree')['nodes']
    nameless = []
    for node in nodes:
        focusable = any(each['name'] == 'focusable' and each['value']['value']
                        for each in node.get('properties', []))
        role = node.get('role', {}).get('value')
        told = role in ('meter', 'region', 'figure') or focusable
        if told and role not in ('RootWebArea', 'figure') and not node.get('name', {}).get('value'):
            nameless.append(role)
    need(not nameless, f'without a name: {nameless}')
    world.page.ask('Accessibility.disable')


def fits_a_phone(world):
    """a phone's width"""
    for width in (320, 360, 390):
        world.page.size(width, 780, mobile=True)
        wide = world.page.run('document.documentElement.scrollWidth')
        outside = world.page.run(
            '[...document.querySelectorAll("main *")].filter(each => !each.closest(".chart, .name") &&'
            f' each.getBoundingClientRect().right > {width} + 0.5).map(each => each.outerHTML)')
        need(wide <= width, f'{wide} pixels wide on {width}: {outside}')
        need(not outside, f'cut off at {width}: {outside}')
    world.page.ask('Emulation.clearDeviceMetricsOverride')


CONTRAST = """(() => {
  const light = text => {
    const [r, g, b] = text.match(/[0-9.]+/g).map(Number).map(each => each / 255)
        .map(each => each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const ratios = [...document.querySelectorAll('main *, header *, footer *')]
      .filter(each => each.textContent.trim() && each.childElementCount === 0 && each.offsetParent)
      .map(each => { const ink = light(getComputedStyle(each).color);
                     return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05); });
  return {paper, least: Math.min(...ratios), texts: ratios.length};
})()"""


def is_readable_in_both_schemes(world):
    """light and dark"""
    said = []
    for scheme in ('light', 'dark'):
        world.page.scheme(scheme)
        seen = world.page.run(CONTRAST)
        need((seen['paper'] > 0.5) == (scheme == 'light'), f'{scheme}: the background is {seen["paper"]}')
        need(seen['least'] >= 4.5, f'{scheme}: contrast of {seen["least"]:.2f}')
        said.append(f'{scheme}: contrast at least {seen["least"]:.1f}')
    world.page.scheme('')
    return ', '.join(said)
