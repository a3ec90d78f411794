// Errors of all kinds have one shape: the place, the line of the source, and a caret below the column. Tabs and
// wide characters do not shift it.
// EXIT: 2
// RUN: cd "$(dirname %t)"; printf 'int main(void) {\n\tint x =\t"世界" + ;\n}\n' > a.c; sapa check a.c 2>&1
// RUN: cd "$(dirname %t)"; printf 'int main(void) { return y; }\n' | sapa check - 2>&1
// RUN: cd "$(dirname %t)"; printf '# 12 "missing.c"\nint main(void) { return y; }\n' > a.i; sapa check a.i 2>&1
// RUN: cd "$(dirname %t)"; printf 'gir 1\nglobal $x: j32 = 0\n' > a.gir; sapa-opt a.gir 2>&1
// RUN: cd "$(dirname %t)"; printf 'gir 1\ndefine @f() {\nbb0:\n  jump bb1\nbb1:\n  %%0: i8 = add 1i8, 1i32\n  return\n}\n' > b.gir; sapa check b.gir 2>&1
// RUN: cd "$(dirname %t)"; printf 'gir 1\ndeclare @f()\ndeclare @f()\n' | sapa-opt 2>&1
// RUN: cd "$(dirname %t)"; printf 'decl g;\nvoid main() begin\n  g := h; /* é */ end\n' > a.bp; sapa-mc a.bp 2>&1
// RUN: cd "$(dirname %t)"; printf 'decl g;\nvoid main() begin\n  /* é */ g := ; end\n' | sapa-translate --to dot 2>&1
// RUN: cd "$(dirname %t)"; printf 'int main(void) { }\n' > c.c; printf '\n  main::x == 1\n' > p; sapa check c.c --predicates p 2>&1
// RUN: cd "$(dirname %t)"; sapa-opt -p 'inline,fly{x}' a.gir 2>&1 | cut -c1-60
// RUN: cd "$(dirname %t)"; sapa check none.gir 2>&1
