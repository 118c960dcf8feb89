"""tests/architecture/changed_sources: what counts as a change of the code."""

import importlib.machinery
import importlib.util
import pathlib
import unittest

PATH = pathlib.Path(__file__).with_name('changed_sources')
loader = importlib.machinery.SourceFileLoader('changed_sources', str(PATH))
changed_sources = importlib.util.module_from_spec(importlib.util.spec_from_loader('changed_sources', loader))
loader.exec_module(changed_sources)
tokens_of = changed_sources.tokens_of


class TokensOf(unittest.TestCase):
    def test_comments_includes_and_white_space_are_no_code(self):
        self.assertEqual(tokens_of('#include "a.h"\nint a;  ///< What it is.\n/* x\n y */ int b;\n'),
                         tokens_of('#include <b.h>\n// Why.\nint a;\nint b;\n'))

    def test_what_looks_like_a_comment_in_a_text_is_code(self):
        for one, other in (('"http://a"', '"http://b"'), ('R"x(// "a")x"', 'R"x(// "b")x"'),
                           (r'"\"//a"', r'"\"//b"'), ("'\"'; f(\"//a\")", "'\"'; f(\"//b\")"),
                           ("1'000 + 1 // '\n + a", "1'000 + 1 // '\n + b")):
            self.assertNotEqual(tokens_of(one), tokens_of(other), one)

    def test_an_order_to_clang_tidy_is_code(self):
        self.assertNotEqual(tokens_of('f();  // NOLINT(a)'), tokens_of('f();'))


class IsRenaming(unittest.TestCase):
    def check(self, before, now, known='std move copy a b f'):
        before, now, known = tokens_of(before), tokens_of(now), set(known.split())
        return changed_sources.is_renaming(before, now, known | set(before), known | set(now))

    def test_a_name_that_is_gone_replaced_throughout_by_a_new_one_is_no_change(self):
        self.assertTrue(self.check('int old = b(old);', 'int first = b(first);'))

    def test_everything_else_is_a_change(self):
        for before, now in (('int old = b(old);', 'int first = b(second);'), ('old(a);', 'old(b);'),
                            ('g(one, two);', 'g(two, one);'), ('std::copy(old);', 'std::move(old);'),
                            ('f(old);', 'f("old");'), ('f("a");', 'f("b");'), ('f(1);', 'f(2);'),
                            ('a.old();', 'a->old();'), ('f();', 'f(); g();')):
            self.assertFalse(self.check(before, now), (before, now))


if __name__ == '__main__':
    unittest.main()
