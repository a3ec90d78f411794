// covers: attributes
// error: the attribute 'scalar_storage_order' is not supported

struct __attribute__((scalar_storage_order("big-endian"))) s { int i; };

int main(void)
{
    struct s s = { 1 };
    return s.i;
}
