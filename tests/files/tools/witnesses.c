// A statement that other threads act within is one waypoint, where it begins; an input may be a character; one file alone has a witness in
// GraphML. What is wrong with the input is no verdict to JUnit.
// RUN: cd %d && sapa check -q witnesses.c --output %t.yml --output %t.graphml --output junit=%t.j > %t.out; sed -n '/content/,$p' %t.yml | grep -v 'action\|file_name\|format'; grep -o 'xmlns:xsi\|startline.*\|assumption">.*' %t.graphml
// RUN: echo 'int f(void) { return 1; }' > %t.2.c; cd %d && sapa check -q witnesses.c %t.2.c --output %t.none.graphml 2>&1 | sed 's/to .*none/to none/'
// RUN: echo 'int main(void) { return 1 +; }' > %t.3.c; sapa check %t.3.c --output %t.xml > %t.out 2>&1; sed -n '/<error/s/message=.* type/type/p; /VERIFICATION/p' %t.xml
// EXIT: 0
#include <assert.h>
#include <pthread.h>
extern char __VERIFIER_nondet_char(void);
int x;

void *other(void *argument) {
    x = 5;
    return 0;
}

int main(void) {
    pthread_t t;
    char c = __VERIFIER_nondet_char();
    pthread_create(&t, 0, other, 0);
    x = x + 1;
    pthread_join(t, 0);
    assert(x != 1 || c != 'x');
}
