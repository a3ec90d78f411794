/* <stdlib.h>: what runs when the program ends, the last one registered first. */

enum { HANDLERS = 32 };
static void (*handlers[HANDLERS])(void);
static unsigned registered;

int __sapa_atexit(void (*handler)(void))
{
    __CPROVER_atomic_begin();
    __CPROVER_assume(registered < HANDLERS);
    handlers[registered] = handler;
    registered = registered + 1;
    __CPROVER_atomic_end();
    return 0;
}

void __sapa_run_exit_handlers(void)
{
    unsigned left;
    do {
        void (*handler)(void) = 0;
        __CPROVER_atomic_begin();
        left = registered;
        if (left) {
            registered = left - 1;
            handler = handlers[left - 1];
        }
        __CPROVER_atomic_end();
        if (handler)
            handler();
    } while (left);
}
