// covers: computed-goto
// error: addresses of labels are not supported

int main(void)
{
    void *p = &&out;
    goto *p;
out:
    return 0;
}
