// known gap: FAILED --threads 0
// What lies at an address that the program does not declare has any value. Accesses to it end the
// interpreter's runs, so that these show nothing, although valid indices are assumed elsewhere.
#include <assert.h>

int array[4], place = 2;

int main(void) {
    int i = place;
    array[i] = 1;
    int value = *(volatile int *)0x40000000;
    assert(value != 77);
}
