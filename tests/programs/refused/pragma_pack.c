// covers: attributes
// error: the size of a bit-field under '#pragma pack' is not known

#pragma pack(push, 1)
struct s {
    char c;
    int i : 20;
};
#pragma pack(pop)

int main(void)
{
    return sizeof(struct s);
}
