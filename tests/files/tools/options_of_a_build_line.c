// Options of a build line reach the preprocessor in their order, or change nothing.
// RUN: echo '#define FROM_FILE 1' > %t.h && sapa check -Wall -Wextra -Werror -std=gnu99 -O2 -g -pthread -fno-strict-aliasing -march=x86-64 -c -MMD -MF %t.d -lpthread -Wl,-z,now -DA=1 -U A -D A=2 -include %t.h --threads 1 %s
// check: VERIFICATION SUCCESSFUL
// RUN: sapa-cc -DA=2 -UA -DA -DFROM_FILE %s -o %t.gir && sapa check --threads 1 %t.gir; echo "exit $?"
// check: VERIFICATION FAILED
// nextln: exit 10
// Strict C90 has no macro 'linux' and no line comments.
// RUN: sapa-cc -std=c89 -pedantic -DA -DFROM_FILE -DSTRICT %s 2>&1 | head -1
// check: error: 
// RUN: sapa-cc -std=c89 -pedantic-errors -DA=2 -DFROM_FILE -DSTRICT - < %d/strict.c | sapa check --threads 1 -
// check: VERIFICATION SUCCESSFUL
// RUN: sapa-cc -DSTRICT - < %d/strict.c | sapa check --threads 1 -; echo "exit $?"
// check: VERIFICATION FAILED
// nextln: exit 10
// Wrong ones.
// RUN: sapa check -std=c++17 %s 2>&1; echo "exit $?"
// check: -std=c++17 is not supported: it names no standard of C
// check: exit 1
// RUN: sapa check %s -mx32 2>&1; echo "exit $?"
// check: -mx32 is not supported: programs are read for Linux on x86 (-m32, -m64); leave it out, or change the program
// check: exit 1
// RUN: sapa-cc -funsigned-char %s 2>&1; echo "exit $?"
// check: -funsigned-char is not supported: 'char' is signed
// check: exit 1
// RUN: sapa check %s -include 2>&1; echo "exit $?"
// check: error: -include needs a value: -include FILE
// nextln: exit 1
// RUN: sapa check -Q %s 2>&1; echo "exit $?"
// check: unexpected argument '-Q'
// check: exit 1
// RUN: sapa check -include %d/missing.h %s 2>&1; echo "exit $?"
// check: missing.h: No such file
// check: exit 2
#include <assert.h>

int main(void)
{
#ifdef FROM_FILE
    assert(A == 2);
#else
    assert(0);
#endif
    return 0;
}
