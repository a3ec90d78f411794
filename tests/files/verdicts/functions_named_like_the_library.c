// precise: FAILED --threads 0
// Functions of the program that are called as the library's are, but are of other types, return
// any value at each call.
#include <assert.h>
extern int round(void);
extern int y1(int);
int main(void)
{
    int a = y1(3), b = y1(3);
    assert(round() == round() || a == b);
    return 0;
}
