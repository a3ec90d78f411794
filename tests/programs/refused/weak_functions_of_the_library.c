// covers: attributes
// error: 'sched_yield' is weak and not defined here: its address may be null

int sched_yield(void) __attribute__((weak));

int main(void)
{
    if (sched_yield)
        sched_yield();
    return 0;
}
