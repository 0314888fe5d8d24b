void ontosqlDivide16(void *info, void *chunk, void *out);
void ontosqlDivide32(void *info, void *chunk, void *out);
void ontosqlDivide64(void *info, void *chunk, void *out);
void ontosqlRemain16(void *info, void *chunk, void *out);
void ontosqlRemain32(void *info, void *chunk, void *out);
void ontosqlRemain64(void *info, void *chunk, void *out);
void ontosqlDivideFloat(void *info, void *chunk, void *out);
void ontosqlDivideDouble(void *info, void *chunk, void *out);
