// Messages and help texts say what there is and what to do, in few lines.
// RUN: sapa check --help | grep -A3 "<FILES>\.\.\." | grep -c "\.bp"; sapa check --help | grep -c "  thread-modular  "
// check: 1
// nextln: 1
// RUN: sapa check %s --threads -1 2>&1
// check: error: invalid value '-1' for '--threads <THREADS>': expected a number of threads or 'unbounded'
// RUN: sapa check %s -mx32 2>&1
// check: error: -mx32 is not supported: programs are read for Linux on x86 (-m32, -m64); leave it out, or change the program
// RUN: sapa check %t.c 2>&1 | sed 's/.*t\.c/t.c/'
// check: t.c: No such file or directory
// RUN: printf 'int x;\0y' > %t.c; sapa check %t.c 2>&1 | sed 's/.*t\.c/t.c/'; sapa check - < %t.c 2>&1
// check: t.c: neither C nor a goto binary: byte 6 is 0, which no source has; give the program's text, or what goto-cc made of it
// nextln: error: <stdin>: neither C nor a goto binary: byte 6 is 0
// EXIT: 2
int main(void) { return 0; }
