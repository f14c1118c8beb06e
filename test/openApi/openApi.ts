export { readOpenApi } from '../../nodes/DocumentExtraction/api/details/openApi/reading';
export { findDetails } from '../../nodes/DocumentExtraction/api/details/openApi/findings';
export {
	ALL_DETAILS,
	API_DETAILS,
	type ApiDetail,
} from '../../nodes/DocumentExtraction/api/details/apiDetails';
