// A step of an assertion is at the assertion's column in the report, whatever the preprocessor says.
// RUN: sapa check %s --json --threads 1 | tr -d " \n" | grep -o "line.:12,.column.:[0-9]*,.function.:.main.,.statement.:.assert"
#include <assert.h>
#include <pthread.h>

int x;
void *writer(void *unused) { x = 1; return 0; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    assert(x == 0);
}
// check: line":12,"column":5,"function":"main","statement":"assert
