// covers: attributes
// error: a jump in the scope of a variable with the attribute 'cleanup' is not supported

static void leave(int *x) { *x = 0; }

int main(void)
{
    {
        __attribute__((cleanup(leave))) int x = 1;
        if (x)
            goto end;
    }
end:
    return 0;
}
