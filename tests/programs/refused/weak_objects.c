// covers: attributes
// error: 'maybe' is weak and not defined here: its address may be null

extern int maybe __attribute__((weak));

int main(void)
{
    return &maybe ? 1 : 0;
}
