export { readOpenApi } from '../../nodes/DocumentExtraction/api/details/openApi/reading';
export { findDetails } from '../../nodes/DocumentExtraction/api/details/openApi/findings';
export type { ApiDetail } from '../../nodes/DocumentExtraction/api/details/labels';
