#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""look.py SITE BROWSER: opens the built site as a reader does. What people type into the search finds the page that
answers, no page is endless, no line of a report is cut, and pictures follow the site's own switch."""

import functools
import http.server
import sys
import threading

from playwright.sync_api import sync_playwright

SITE, BROWSER = sys.argv[1:3]
MOST_PIXELS = 30_000
# What is typed, the pages of which one must come first, and how many of the first results may be others.
SEARCHES = [("why does my kernel hang", {"exec/"}, 0), ("illegal memory access", {"exec/", "faults/"}, 0), ("misaligned address", {"exec/", "faults/"}, 2)]
failures = []


def expect(what, shown, wanted):
    if shown != wanted:
        failures.append(f"{what}: {shown}, not {wanted}")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def search(page, root, words):
    """The pages that the search shows, best first."""
    page.goto(root)
    page.locator("input.md-search__input").click()
    page.keyboard.type(words)
    page.wait_for_selector(".md-search-result__item a", timeout=20_000)
    page.wait_for_timeout(800)
    found = page.locator(".md-search-result__item > a").evaluate_all("links => links.map(a => new URL(a.href).pathname.slice(1))")
    return list(dict.fromkeys(found))


def check_search(page, root):
    for words, wanted, before in SEARCHES:
        found = search(page, root, words)
        places = [i for i, place in enumerate(found) if place in wanted]
        if not places or places[0] > before:
            failures.append(f"'{words}' finds {found[:5]}, and {sorted(wanted)} not among the first {before + 1}")


def check_heights(page, root):
    for place in ("rules/", "rules/map/", "rules/mbarrier/", "exec/"):
        page.goto(root + place)
        height = page.evaluate("document.documentElement.scrollHeight")
        expect(f"{place} has at most {MOST_PIXELS} pixels ({height})", height <= MOST_PIXELS, True)


def check_lines(page, root):
    page.goto(root)
    cut = page.locator("pre > code").evaluate_all("blocks => blocks.filter(b => b.scrollWidth > b.clientWidth + 1).length")
    expect("blocks of the first page with cut lines", cut, 0)
    for place in ("help/", "tutorial/", "exec/"):
        page.goto(root + place)
        cut = page.locator("pre > code").evaluate_all(
            "blocks => blocks.filter(b => b.innerText.includes(': error: ') && b.scrollWidth > b.clientWidth + 1).length")
        expect(f"reports of {place} with cut lines", cut, 0)


def check_pictures(page, root):
    """Two for each picture; the switch, and not the system, says which is seen."""
    for system in ("light", "dark"):
        page.emulate_media(color_scheme=system)
        page.goto(root + "swizzle/")
        for scheme in ("default", "slate"):
            page.evaluate("scheme => document.body.setAttribute('data-md-color-scheme', scheme)", scheme)
            seen = page.locator("article img").evaluate_all(
                "images => images.filter(i => i.offsetParent !== null).map(i => i.src.match(/-(light|dark)[.]svg/)?.[1])")
            wanted = "light" if scheme == "default" else "dark"
            expect(f"pictures on {scheme}, system {system}", set(seen), {wanted})


def main():
    handler = functools.partial(Quiet, directory=SITE)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    root = f"http://127.0.0.1:{server.server_port}/"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        for check in (check_search, check_heights, check_lines, check_pictures):
            check(page, root)
        browser.close()
    for failure in failures:
        print(failure)
    print(f"{len(failures)} failures" if failures else "the site is as a reader wants it")
    return 1 if failures else 0


sys.exit(main())
