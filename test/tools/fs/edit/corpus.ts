/**
 * Edits as small models ask for them: what is in the file, the old and the new text, and what must come out. A pattern is
 * the reason for a refusal. Nothing else may happen to any of them.
 */
export type EditCase = readonly [title: string, text: string, oldText: string, newText: string, wanted: string | RegExp]

const python = "def f(x):\n    if x:\n        return 1\n    return 2\n\ndef g(x):\n    return 3\n"
const go = "func f() {\n\tif x {\n\t\treturn 1\n\t}\n}\n"
const make = "all:\n\tcc -o a a.c\n\nclean:\n\trm a\n"
const yaml = "a:\n  b:\n    - one\n    - two\nc: 1\n"
const quotes = "He said \u201cyes\u201d \u2014 it\u2019s fine.\nAnd left.\n"
const crlf = "one\r\ntwo\r\nthree\r\n"

export const corpus: ReadonlyArray<EditCase> = [
  // To the letter.
  ["a word", "a b c", "b", "x", "a x c"],
  ["a pattern of replacement is text", "cost: 5", "5", "$& $1 $$ $`", "cost: $& $1 $$ $`"],
  ["nothing in its place", "abc", "b", "", "ac"],
  ["a byte order mark stays", "\ufeffone\ntwo\n", "one", "1", "\ufeff1\ntwo\n"],
  ["the last line without an end", "a\nb", "b", "c", "a\nc"],
  ["more lines at the end", "a\nb", "b", "b\nc\n", "a\nb\nc\n"],
  ["two places", "x = 1\nx = 1\n", "x = 1", "x = 2", /occurs 2 times \(lines 1, 2\)/],
  ["places that overlap", "aaa", "aa", "b", /occurs 2 times/],
  ["a place to the letter beats one that is only alike", '\u201ca\u201d\n"a"\n', '"a"', '"b"', '\u201ca\u201d\n"b"\n'],
  ["two places to the letter are not made one by another rung", "a \na \n", "a \n", "b\n", /occurs 2 times/],
  ["nothing to change", "a\nb\n", "b", "b", "a\nb\n"],
  ["what is not there", "a\nb\n", "c", "d", /does not occur; nor does its first line/],
  ["what goes another way than it began", "a\nb\nc\n", "a\nx\nc", "y", /Line 2 is "b", and oldText has "x"/],

  // Line ends.
  ["CRLF shown without", crlf, "one\ntwo", "1\n2", "1\r\n2\r\nthree\r\n"],
  ["new lines in a file with CRLF", crlf, "two", "two\nand a half", "one\r\ntwo\r\nand a half\r\nthree\r\n"],
  ["new lines behind a last line without an end", "a\r\nb", "b", "b\nc", "a\r\nb\r\nc"],
  ["CRLF given for a file with LF", "a\nb\nc\n", "a\r\nb", "A\r\nB", "A\nB\nc\n"],
  ["mixed ends, at a line with LF", "a\r\nb\nc\r\n", "b", "b\nB", "a\r\nb\nB\nc\r\n"],
  ["mixed ends, at a line with CRLF", "a\nb\r\nc\n", "b", "b\nB", "a\nb\r\nB\r\nc\n"],
  ["mixed ends, over both", "a\r\nb\nc\r\n", "a\nb\nc", "A\nb\nC", "A\r\nb\nC\r\n"],
  ["a line end that is meant", "a\r\nb\r\n", "a\r\nb\r\n", "a\nb\n", "a\nb\n"],
  [
    "two places apart from line ends",
    "a\r\nb\r\na\r\nb\r\n",
    "a\nb",
    "x",
    /2 times apart from line ends \(lines 1, 3\)/
  ],

  // Blanks at the ends of lines.
  ["trailing blanks in the file", "a  \nb\t\nc\n", "a\nb\nc", "A\nb\nC", "A  \nb\t\nC\n"],
  ["trailing blanks in the old text", "a\nb\n", "a \nb\t", "a\nB", "a\nB\n"],
  [
    "trailing blanks at the end of the old text end at a line's end",
    "x = 10\ny = 1\n",
    "x = 1 ",
    "x = 2 ",
    /does not occur/
  ],
  ["trailing blanks at the very end of the file", "a\nb  ", "a\nb", "a\nc", "a\nc  "],
  ["an empty line that has blanks", "a\n   \nb\n", "a\n\nb", "a\n\nc", "a\n   \nc\n"],
  ["trailing blanks and CRLF", "a \r\nb\r\n", "a\nb", "a\nc", "a \r\nc\r\n"],
  ["two places apart from trailing blanks", "a\t\nb\na   \nb\n", "a\nb", "x", /2 times apart from trailing blanks/],
  ["all the trailing blanks may go", "a  \n", "a  ", "a", "a\n"],

  // Characters that look alike.
  [
    "straight quotes for curly ones",
    quotes,
    'said "yes" - it\'s fine.',
    'said "no" - it\'s fine.',
    "He said \u201cno\u201d \u2014 it\u2019s fine.\nAnd left.\n"
  ],
  [
    "a straight apostrophe",
    quotes,
    "it's fine",
    "it's good",
    "He said \u201cyes\u201d \u2014 it\u2019s good.\nAnd left.\n"
  ],
  ["curly quotes for straight ones", 'a = "x"\n', "a = \u201cx\u201d", "a = \u201cy\u201d", 'a = "y"\n'],
  ["spaces that do not break", "a\u00a0b\u202fc\n", "a b c", "a b d", "a\u00a0b\u202fd\n"],
  ["a minus for a hyphen", "5 \u2212 3\n", "5 - 3", "5 - 4", "5 \u2212 4\n"],
  [
    "curly quotes in the place of straight ones, wanted so",
    'say "x"\n',
    'say "x"',
    "say \u201cx\u201d",
    "say \u201cx\u201d\n"
  ],
  ["an ellipsis is no three dots", "wait\u2026\n", "wait...", "go", /does not occur/],
  [
    "two places that look alike",
    "\u2018a\u2019\n\u201aa\u2019\n",
    "'a'",
    "b",
    /2 times apart from look-alike characters/
  ],
  ["what differs in more than looks", "\u201cyes\u201d\n", '"yeah"', "x", /does not occur/],
  ["letters of another alphabet are other letters", "\u0430bc\n", "abc", "x", /does not occur/],

  // Indentation.
  [
    "further in than given",
    python,
    "if x:\n    return 1\nreturn 2",
    "if x:\n    return 4\nreturn 2",
    python.replace("return 1", "return 4")
  ],
  [
    "further out than given",
    python,
    "        def g(x):\n            return 3",
    "        def g(x):\n            return 4",
    python.replace("return 3", "return 4")
  ],
  [
    "new lines are put in as far",
    python,
    "if x:\n    return 1\n",
    "if x:\n    log(x)\n    return 1\n",
    python.replace("        return 1", "        log(x)\n        return 1")
  ],
  [
    "spaces for tabs",
    go,
    "    if x {\n        return 1\n    }",
    "    if x {\n        return 2\n    }",
    go.replace("return 1", "return 2")
  ],
  [
    "spaces for tabs, further in",
    go,
    "    if x {\n        return 1\n    }",
    "    if x {\n        if y {\n            return 1\n        }\n    }",
    "func f() {\n\tif x {\n\t\tif y {\n\t\t\treturn 1\n\t\t}\n\t}\n}\n"
  ],
  [
    "tabs for spaces",
    python,
    "\tif x:\n\t\treturn 1\n\treturn 2",
    "\tif x:\n\t\treturn 0\n\treturn 2",
    python.replace("return 1", "return 0")
  ],
  [
    "a recipe keeps its tab",
    make,
    "all:\n    cc -o a a.c",
    "all:\n    cc -O2 -o a a.c",
    make.replace("cc -o", "cc -O2 -o")
  ],
  [
    "steps of two for four",
    "if a:\n    if b:\n        c()\n",
    "if a:\n  if b:\n    c()",
    "if a:\n  if b:\n    d()",
    "if a:\n    if b:\n        d()\n"
  ],
  ["a list in YAML", yaml, "b:\n  - one\n  - two\n", "b:\n  - one\n  - three\n", yaml.replace("two", "three")],
  [
    "lines that are only taken away",
    python,
    "if x:\n    return 1\nreturn 2",
    "return 2",
    python.replace("    if x:\n        return 1\n", "")
  ],
  ["whole lines for nothing", python, "if x:\n    return 1\n", "", python.replace("    if x:\n        return 1\n", "")],
  [
    "lines that only come, at the end of a file without one",
    "a:\n    b()",
    "a:\n  b()",
    "a:\n  b()\n  c()",
    "a:\n    b()\n    c()"
  ],
  [
    "the same, where the steps are plain",
    "a:\n    b:\n        c()",
    "a:\n  b:\n    c()",
    "a:\n  b:\n    c()\n    d()",
    "a:\n    b:\n        c()\n        d()"
  ],
  [
    "an indentation that cannot be known",
    go,
    "  if x {\n    return 1\n  }",
    "  if x {\n   return 2\n  }",
    /does not occur/
  ],
  [
    "a new line further out than the file allows",
    python,
    "        if x:\n            return 1",
    "if y:\n        if x:\n            return 1",
    /does not occur/
  ],
  [
    "two places apart from indentation",
    "if a:\n    x()\nif b:\n        x()\n",
    "            x()\n",
    "            y()\n",
    /2 times apart from indentation/
  ],
  ["lines that are indented against each other", python, "if x:\nreturn 1", "if y:\nreturn 1", /does not occur/],
  ["blank lines between", "a:\n    b\n\n    c\n", "  b\n\n  c\n", "  b\n\n  d\n", "a:\n    b\n\n    d\n"],
  [
    "Markdown below a bullet",
    "- a\n\n    code\n    more\n",
    "code\nmore\n",
    "code\nother\n",
    "- a\n\n    code\n    other\n"
  ],
  [
    "indentation and CRLF",
    "a:\r\n    b\r\n    c\r\n",
    "  b\n  c\n",
    "  b\n  x\n  c\n",
    "a:\r\n    b\r\n    x\r\n    c\r\n"
  ],

  [
    "a line with less indentation, which stands in the file to the letter",
    "a:\n      b\n",
    "    b",
    "    b\n    c",
    "a:\n      b\n      c\n"
  ],

  [
    "steps of two for four, further in",
    python,
    "if x:\n  return 1\n",
    "if x:\n  log(x)\n  return 1\n",
    python.replace("        return 1", "        log(x)\n        return 1")
  ],
  [
    "steps of four for two, further in",
    "a:\n  b:\n    c: 1\n",
    "b:\n    c: 1\n",
    "b:\n    c: 2\n",
    "a:\n  b:\n    c: 2\n"
  ],

  // Runs of blanks.
  ["columns that are aligned", "name   =  1\nvalue  =  2\n", "name = 1", "name = 3", "name   =  3\nvalue  =  2\n"],
  ["a tab for spaces within a line", "a\tb\n", "a b", "a c", "a\tc\n"],
  ["blanks that are not there at all", "a=1\n", "a = 1", "a = 2", /does not occur/],
  ["blanks that are there and not given", "a = 1\n", "a=1", "a=2", /does not occur/],
  ["the blanks at a line's beginning count", "  a  b\n    c\n", " a b\n c", "x", /does not occur/],
  ["two places apart from runs of blanks", "a  b\na   b\n", "a b", "x", /2 times apart from runs of blanks/],

  // Numbers of lines, as they are shown.
  ["numbers of lines", "one\ntwo\nthree\n", "2\ttwo\n3\tthree", "2\tTWO\n3\tthree", "one\nTWO\nthree\n"],
  ["numbers in the old text only", "one\ntwo\n", "1\tone\n2\ttwo", "ONE\ntwo", "ONE\ntwo\n"],
  ["numbers before indentation", "a:\n    b\n", "2\t    b", "2\t    c", "a:\n    c\n"],
  ["numbers that are the file's own", "1\tx\n2\ty\n", "2\ty", "2\tz", "1\tx\n2\tz\n"],
  ["numbers that do not follow each other", "one\nthree\n", "1\tone\n3\tthree", "x", /does not occur/],
  ["numbers of some lines", "one\ntwo\n", "1\tone\ntwo", "x", /does not occur/],
  ["added lines with numbers that repeat", "one\ntwo\n", "2\ttwo", "2\ttwo\n3\tthree", "one\ntwo\nthree\n"]
]
