#define M12 1
