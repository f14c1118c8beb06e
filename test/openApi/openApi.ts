export { readOpenApi } from '../../nodes/DocumentExtraction/api/details/openApi/document';
export {
	findDetails,
	type ApiDetailName,
} from '../../nodes/DocumentExtraction/api/details/openApi/findings';
