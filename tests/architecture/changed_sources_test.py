"""tests/architecture/changed_sources: what counts as a change of the code."""

import importlib.machinery
import importlib.util
import pathlib
import unittest

PATH = pathlib.Path(__file__).with_name('changed_sources')
loader = importlib.machinery.SourceFileLoader('changed_sources', str(PATH))
changed_sources = importlib.util.module_from_spec(importlib.util.spec_from_loader('changed_sources', loader))
loader.exec_module(changed_sources)
code_of = changed_sources.code_of


class CodeOf(unittest.TestCase):
    def test_comments_includes_and_white_space_are_no_code(self):
        self.assertEqual(code_of('#include "a.h"\nint a;  ///< What it is.\n/* x\n y */ int b;\n'),
                         code_of('#include <b.h>\n// Why.\nint a;\nint b;\n'))

    def test_what_looks_like_a_comment_in_a_text_is_code(self):
        for one, other in (('"http://a"', '"http://b"'), ('R"x(// "a")x"', 'R"x(// "b")x"'),
                           (r'"\"//a"', r'"\"//b"'), ("'\"'; f(\"//a\")", "'\"'; f(\"//b\")"),
                           ("1'000 + 1 // '\n + a", "1'000 + 1 // '\n + b")):
            self.assertNotEqual(code_of(one), code_of(other), one)

    def test_an_order_to_clang_tidy_is_code(self):
        self.assertNotEqual(code_of('f();  // NOLINT(a)'), code_of('f();'))


if __name__ == '__main__':
    unittest.main()
