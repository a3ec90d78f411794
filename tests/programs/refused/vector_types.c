// covers: vectors
// error: the attribute 'vector_size' is not supported

typedef int v4 __attribute__((vector_size(16)));

int main(void)
{
    int a __attribute__((vector_size(16)));
    return 0;
}
