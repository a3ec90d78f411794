/* A thread sees the last of its own stores, also where a load and a store have a part of their bytes in common.
 *
 *     sapa check own_stores.c -DBYTE_OF_WORD
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

union word {
    unsigned whole;
    unsigned short halves[2];
    unsigned char bytes[4];
};

union word word = {0};
int cells[2] = {0, 0};
int other = 0;

int __VERIFIER_nondet_int(void);

void *thread(void *arg)
{
    int i = __VERIFIER_nondet_int() & 1, j = __VERIFIER_nondet_int() & 1;
    int *pointer = i ? &cells[0] : &other;
    unsigned copy;

#if defined BYTE_OF_WORD
    word.whole = 0x01020304;
    assert(word.bytes[1] == 3);
#elif defined WORD_OF_BYTE
    word.bytes[1] = 3;
    assert(word.whole == 0x0300);
#elif defined WORD_OF_BYTES
    word.bytes[1] = 3;
    word.bytes[0] = 4;
    assert(word.whole == 0x0304);
#elif defined HALF_OF_BYTE_OF_WORD
    word.whole = 0x01020304;
    word.bytes[3] = 9;
    assert(word.halves[1] == 0x0902);
#elif defined ELEMENTS
    cells[i] = 1;
    cells[j] = 2;
    assert(cells[i] == (i == j ? 2 : 1));
#elif defined POINTER
    cells[0] = 1;
    *pointer = 2;
    assert(cells[0] == (i ? 2 : 1));
#elif defined COPIED
    word.whole = 7;
    memcpy(&copy, &word, sizeof copy);
    assert(copy == 7);
#elif defined LATEST
    cells[0] = 1;
    cells[0] = 2;
    cells[0] = 3;
    assert(cells[0] == 3);
    assert(cells[0] == 3);
#endif
    return 0;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, thread, 0);
    pthread_join(t, 0);
}
