// The options of each file are those that it is compiled with.
// RUN: cd %d/build && sapa check --compile-commands . one.c two.c
// RUN: cd %d && sapa check --compile-commands build/compile_commands.json build/one.c build/two.c -DTWO=3
// RUN: cd %d/build && sapa-cc --compile-commands . two.c --entry two | grep -c "@two"
// RUN: cd %d/build && for f in twice.c missing.c refused.c; do sapa check --compile-commands . $f 2>&1; done
// RUN: echo '[{"directory": "/", "file": 3}]' >%t; cd %d/build && sapa check --compile-commands %t one.c 2>&1 | sed 's/^.*: error/error/'
// RUN: sapa check --compile-commands %d/build/none %s 2>&1
// EXIT: 2
