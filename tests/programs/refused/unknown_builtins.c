// covers: builtins
// error: the builtin function '__builtin_classify_type' is not supported
int main(void)
{
    int i = 0;
    return __builtin_classify_type(i++);
}
