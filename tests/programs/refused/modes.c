// covers: attributes
// error: the attribute 'mode'

typedef float vector __attribute__((mode(V4SF)));

int main(void)
{
    vector v;
    return sizeof v;
}
