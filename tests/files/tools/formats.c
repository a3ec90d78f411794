// RUN: cd %d && sapa check formats.c --output a.txt 2>&1 | head -1
// RUN: cd %d && sapa check formats.c --output nosuch=%t 2>&1 | sed 's/ *$//'
// RUN: cd %d && sapa check formats.c --output sarif=- 2>&1
// RUN: cd %d && sapa check formats.c --output /nonexistent/a.sarif 2>&1
// RUN: cd %d && sapa check formats.c --output junit=. 2>&1
// RUN: cd %d && sapa check formats.c --output a.xml --output a.xml --json | grep -o '"text":"[^"]*"'
// RUN: cd %d && sapa check formats.c --output sarif=/dev/full --output %t.after.json > %t.out 2>&1; echo "exit $?"; sed -n "/^error/p" %t.out; grep -c verdict %t.after.json
// RUN: cd %d && SOURCE_DATE_EPOCH=0 sapa check formats.c --output %t.sarif --output junit=%t.j --output %t.json | tail -1
// RUN: sed '/"arguments"/,/\]/d; /"rules"/,/^ *\]/d; /sha-256/d' %t.sarif
// RUN: cat %t.j
// RUN: grep -o '"verdict":"[^"]*"\|"property":"[^"]*"' %t.json
// EXIT: 0
// Two threads that write one after the other, and an assertion on it.
#include <assert.h>
#include <pthread.h>
int x;

void *one(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, one, 0);
    x = 2;
    pthread_join(t, 0);
    assert(x == 2);
    return 0;
}
