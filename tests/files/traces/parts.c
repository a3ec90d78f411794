// Members of unions, bytes of scalars, and pointers past the end have the names that the source gives them.
// RUN: sapa check %s --threads 1
// EXIT: 10
#include <assert.h>
#include <pthread.h>
#include <string.h>

union word {
    int number;
    unsigned char bytes[4];
    short halves[2];
};
union word word;
struct {
    union {
        long whole;
        char letters[8];
    };
    int rest[3];
} record;
int number, *end, *behind;
long wide;

void *writer(void *unused)
{
    union word *pointer = &word;
    word.bytes[3] = 9;
    pointer->halves[0] = -2;
    record.letters[1] = 'x';
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    pthread_join(thread, 0);
    memset(&number, 1, sizeof number);
    memset(&wide, -1, 3);
    memcpy(&wide, &number, sizeof number);
    ((char *)&number)[2] = 5;
    end = record.rest + 3;
    behind = &number + 1;
    char *inside = (char *)record.rest + 5;
    assert(word.number == 0 || record.whole == 0 || word.bytes[3] != 9 || wide < 0 || end == behind || !inside);
}
