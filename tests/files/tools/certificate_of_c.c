// A certificate of a C program holds module, predicates, Boolean program and invariant; the Boolean program is proved to
// do whatever the module can. What is changed is refused, with what could not be proved and where.
// RUN: sapa check %s --certificate %t.cert | tail -1; head -2 %t.cert; sapa check-certificate %t.cert 2>&1 | sed 's|^[^:]*/||;s|(assertions: 1, .*questions: [0-9]*)|(…)|;s|([^ ]*certificate|(certificate|'; sapa check-certificate %t.cert > /dev/null 2>&1; echo $?
// RUN: sapa check-certificate - < %t.cert | tail -1; sapa check-certificate %t.cert --timeout 0.000001 > /dev/null 2>&1; echo $?
// RUN: sapa check %s --threads 2 --certificate %t.two | tail -1; sapa check-certificate %t.two | tail -1
// RUN: sed 's/, 7i32/, 8i32/' %t.cert > %t.code; sapa check-certificate %t.code 2>&1 | sed 's|[^ ]*/||g' | head -1; sapa check-certificate %t.code > /dev/null 2>&1; echo $?
// RUN: sed '/^global .lock/s/= .*  #/= nondet  #/' %t.cert > %t.first; sapa check-certificate %t.first 2>&1 | sed 's|[^ ]*/||g' | head -1; sapa check-certificate %t.first > /dev/null 2>&1; echo $?
// RUN: sed 's/assert(0)/assume(0)/' %t.cert > %t.safe; sapa check-certificate %t.safe 2>&1 | sed 's|[^ ]*/||g' | head -1; sapa check-certificate %t.safe > /dev/null 2>&1; echo $?
// RUN: sed '/^place N1_.* free$/s/free/inside/' %t.cert > %t.place; sapa check-certificate %t.place 2>&1 | sed 's|[^ ]*/||g' | head -1; sapa check-certificate %t.place > /dev/null 2>&1; echo $?
// RUN: sed '/^free/d' %t.cert > %t.less; sapa check-certificate %t.less 2>&1 | sed 's|[^ ]*/||g;s/line [0-9]*/line N/g' | head -1; sapa check-certificate %t.less > /dev/null 2>&1; echo $?
// RUN: head -30 %t.cert > %t.cut; sapa check-certificate %t.cut 2>&1 | sed 's|[^ ]*/||g' | head -1; sapa check-certificate %t.cut > /dev/null 2>&1; echo $?
// RUN: sed '1s/1$/7/' %t.cert > %t.new; sapa check-certificate %t.new 2>&1 | sed 's|[^ ]*/||g' | head -1; sapa check-certificate %t.new > /dev/null 2>&1; echo $?
// RUN: sed 's/= load \$/= lode $/' %t.cert > %t.word; sapa check-certificate %t.word 2>&1 | sed 's|[^ ]*/||g' | head -1; sapa check-certificate %t.word > /dev/null 2>&1; echo $?
// RUN: sed 's/^place N0_0/plaice N0_0/' %t.cert > %t.plaice; sapa check-certificate %t.plaice 2>&1 | sed 's|[^ ]*/||g;s/:[0-9]*:/:N:/' | head -1; sapa check-certificate %t.plaice > /dev/null 2>&1; echo $?
// RUN: sapa check-certificate %t.nowhere > /dev/null 2>&1; echo $?; sapa check-certificate . > /dev/null 2>&1; echo $?; sapa check-certificate %s 2>&1 | sed 's|.*/||' | head -1; sapa check-certificate > /dev/null 2>&1; echo $?
// RUN: sed 's/^memory sc/memory tso/' %t.cert > %t.tso; sapa check-certificate %t.tso 2>&1 | sed 's|[^ ]*/||g' | head -1; sapa check-certificate %t.tso > /dev/null 2>&1; echo $?
// RUN: sapa check %s -DBROKEN --certificate %t.none 2>&1 > /dev/null | sed 's|to .*:|to FILE:|'; sapa check %s --mm tso --certificate %t.none 2>&1 > /dev/null | sed 's|to .*:|to FILE:|'; ls %t.none 2> /dev/null; echo $?
// RUN: echo 'int main(void) { return 0; }' > %t.c; sapa check %t.c --certificate %t.none 2>&1 > /dev/null | sed 's|to .*:|to FILE:|'
// RUN: sapa check %s --mode symmetry-oblivious --threads 1 --certificate a 2>&1; echo $?; sapa check %s --certificate /nowhere/file > /dev/null 2>&1; echo $?; sapa check %s --all --certificate a 2>&1; echo $?
// RUN: sapa check %s --engine bounded --unwind 1 --certificate %t.none 2>&1 > /dev/null | sed 's|to .*:|to FILE:|'
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int total = 0;

void *customer(void *argument) {
#ifndef BROKEN
    pthread_mutex_lock(&lock);
#endif
    int before = total;
    total = before + 7;
    assert(total - 7 == before);
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, customer, 0);
}
