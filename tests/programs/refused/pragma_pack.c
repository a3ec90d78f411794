// covers: attributes
// error: '#pragma pack' is not supported

#pragma pack(push, 1)
struct s { char c; int i; };
#pragma pack(pop)

int main(void)
{
    return sizeof(struct s);
}
