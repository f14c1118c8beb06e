/** What kind of file a file is, where the type that came with it is none that services know. */

interface FileType {
	type: string;
	/** The usual one first. */
	extensions: string[];
	/** The beginning of such a file, in Latin-1. */
	begins?: RegExp;
}

const OFFICE = 'application/vnd.openxmlformats-officedocument';

const FILE_TYPES: FileType[] = [
	// Readers look for its beginning in the first kilobyte.
	{ type: 'application/pdf', extensions: ['pdf'], begins: /%PDF-/ },
	{ type: 'image/jpeg', extensions: ['jpg', 'jpeg', 'jfif'], begins: /^\xff\xd8\xff/ },
	{ type: 'image/png', extensions: ['png'], begins: /^\x89PNG/ },
	{ type: 'image/tiff', extensions: ['tif', 'tiff'], begins: /^(?:II\*\0|MM\0\*)/ },
	{ type: 'image/gif', extensions: ['gif'], begins: /^GIF8/ },
	{ type: 'image/webp', extensions: ['webp'], begins: /^RIFF.{4}WEBP/s },
	{ type: 'image/heic', extensions: ['heic', 'heif'], begins: /^.{4}ftyp(?:hei|mif)/s },
	{ type: 'image/bmp', extensions: ['bmp'] },
	{ type: `${OFFICE}.wordprocessingml.document`, extensions: ['docx'] },
	{ type: `${OFFICE}.spreadsheetml.sheet`, extensions: ['xlsx'] },
	{ type: `${OFFICE}.presentationml.presentation`, extensions: ['pptx'] },
	{ type: 'application/msword', extensions: ['doc'] },
	{ type: 'application/vnd.ms-excel', extensions: ['xls'] },
	{ type: 'application/rtf', extensions: ['rtf'], begins: /^\{\\rtf/ },
	{ type: 'application/zip', extensions: ['zip'] },
	{ type: 'application/json', extensions: ['json'] },
	{ type: 'application/xml', extensions: ['xml'] },
	{ type: 'message/rfc822', extensions: ['eml'] },
	{ type: 'text/csv', extensions: ['csv'] },
	{ type: 'text/html', extensions: ['html', 'htm'] },
	{ type: 'text/plain', extensions: ['txt', 'text', 'log', 'md'] },
];

/** n8n calls a file so, too, if it does not know its type. */
const PLAIN_TEXT = 'text/plain';
const UNKNOWN = 'application/octet-stream';
const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/** In bytes, of a file's beginning: as many as tell its type. */
export const TELLING_BYTES = 1024;

/** Whether a type tells what a file is, by a name that services know. */
function isTelling(mimeType: string): boolean {
	return mimeType !== PLAIN_TEXT && FILE_TYPES.some(({ type }) => type === mimeType);
}

/**
 * The type of a file: the one that came with it, without parameters such as a character set, which
 * signed URLs do not cover. One that does not tell what the file is, such as `application/octet-stream`
 * or `image/jpg`, is decided by the name's extension, or else by the first bytes.
 * @param beginning gives the first bytes; called only where nothing else decides
 */
export async function typeOf(
	mimeType: string,
	name: string,
	beginning: () => Promise<Buffer>,
): Promise<string> {
	const given = mimeType.split(';')[0].trim();
	if (isTelling(given.toLowerCase())) return given;
	const extension = /\.(\w{1,10})$/.exec(name)?.[1].toLowerCase() ?? '';
	const named = FILE_TYPES.find(({ extensions }) => extensions.includes(extension));
	if (named) return named.type;
	const begin = (await beginning()).toString('latin1');
	const begun = FILE_TYPES.find(({ begins }) => begins?.test(begin));
	return begun?.type ?? (MIME_TYPE.test(given) ? given : UNKNOWN);
}

/** The extensions of files of a type, the usual one first; none where the type does not tell. */
export function extensionsOf(mimeType: string): string[] {
	if (!isTelling(mimeType)) return [];
	return FILE_TYPES.find(({ type }) => type === mimeType)?.extensions ?? [];
}
