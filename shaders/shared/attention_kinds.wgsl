// The arrays over positions that the attention keeps in its work, and the forms that it has (backend.Tree,
// backend.Fusion; mesh is neither of these fusions, the plain sum neither of these trees).

const DIST : u32 = 0u;
const TREE : u32 = 1u;
const WEIGHT : u32 = 2u;
const GRAD : u32 = 3u;

const TREE_LSE : u32 = 0u;
const TREE_NONE : u32 = 1u;
const FUSION_POOLED : u32 = 1u;
const FUSION_MEAN : u32 = 2u;
