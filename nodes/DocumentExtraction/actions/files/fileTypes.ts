/** Which type a file has, if the type that came with it says nothing or is not registered. */

interface FileType {
	type: string;
	/** The usual one first. */
	extensions: string[];
	/** Whether its files have many other extensions, too: `.geojson` is JSON, `.pages` a ZIP file. */
	hasOthers?: true;
	/** What else senders call it. */
	alias?: RegExp;
	/** The beginning of such a file, in Latin-1. */
	begins?: RegExp;
}

const OFFICE = 'application/vnd.openxmlformats-officedocument';

const FILE_TYPES: FileType[] = [
	{
		type: 'application/pdf',
		extensions: ['pdf'],
		alias: /[/.-](?:pdf|acrobat)$/,
		// Readers look for it in the first kilobyte.
		begins: /%PDF-/,
	},
	{
		type: 'image/jpeg',
		extensions: ['jpg', 'jpeg', 'jpe', 'jfif'],
		alias: /^image\/(?:x-)?(?:jpg|pjpeg|jpeg|jfif)$/,
		begins: /^\xff\xd8\xff/,
	},
	{
		type: 'image/png',
		extensions: ['png'],
		alias: /^image\/x-png$/,
		begins: /^\x89PNG/,
	},
	{
		type: 'image/tiff',
		extensions: ['tif', 'tiff'],
		alias: /^image\/(?:x-)?tiff?$/,
		begins: /^(?:II\*\0|MM\0\*)/,
	},
	{ type: 'image/gif', extensions: ['gif'], begins: /^GIF8/ },
	{ type: 'image/webp', extensions: ['webp'], begins: /^RIFF.{4}WEBP/s },
	{ type: 'image/heic', extensions: ['heic', 'heif'], begins: /^.{4}ftyp(?:hei|mif)/s },
	{ type: 'image/bmp', extensions: ['bmp'], alias: /^image\/x-(?:ms-)?bmp$/ },
	{ type: `${OFFICE}.wordprocessingml.document`, extensions: ['docx'] },
	{ type: `${OFFICE}.spreadsheetml.sheet`, extensions: ['xlsx'] },
	{ type: `${OFFICE}.presentationml.presentation`, extensions: ['pptx'] },
	{ type: 'application/msword', extensions: ['doc'] },
	{ type: 'application/vnd.ms-excel', extensions: ['xls'] },
	{ type: 'application/rtf', extensions: ['rtf'], begins: /^\{\\rtf/ },
	{
		type: 'application/zip',
		extensions: ['zip'],
		hasOthers: true,
		alias: /[/-]zip-compressed$/,
	},
	{ type: 'application/json', extensions: ['json'], hasOthers: true },
	{ type: 'application/xml', extensions: ['xml'], hasOthers: true },
	{ type: 'message/rfc822', extensions: ['eml'] },
	{ type: 'text/csv', extensions: ['csv'], hasOthers: true },
	{ type: 'text/html', extensions: ['html', 'htm'], hasOthers: true },
	{ type: 'text/plain', extensions: ['txt', 'text', 'log', 'md'], hasOthers: true },
];

/** What a file is called whose sender does not know, or does not say, what it is. */
const SAYS_NOTHING =
	/^(?:application|binary|content|file|unknown|x-unknown|\*)\/(?:x-)?(?:octet-?stream|octet|binary|unknown|(?:force-|ms)?download|file|data|save|\*)$/;
const UNKNOWN = 'application/octet-stream';
/** n8n calls a file so, too, if it does not know its type. */
const PLAIN_TEXT = 'text/plain';
const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/** Whether a type does not tell what a file is. */
function saysNothing(mimeType: string): boolean {
	return !MIME_TYPE.test(mimeType) || SAYS_NOTHING.test(mimeType.toLowerCase());
}

const typeWith = (extension: string) =>
	FILE_TYPES.find(({ extensions }) => extensions.includes(extension));

/** In bytes, of a file's beginning: as many as tell its type. */
export const TELLING_BYTES = 1024;

/**
 * The type of a file: the one that came with it, by its registered name and without parameters such as
 * a character set, which signed URLs do not cover. If that says nothing, the name's
 * extension decides, or else the first bytes.
 * @param beginning gives the first bytes; called only where nothing else decides
 */
export async function typeOf(
	mimeType: string,
	name: string,
	beginning: () => Promise<Buffer>,
): Promise<string> {
	const type = mimeType.split(';')[0].trim();
	const lowerCase = type.toLowerCase();
	const isNothing = saysNothing(type);
	if (!isNothing && lowerCase !== PLAIN_TEXT) {
		return FILE_TYPES.find(({ alias }) => alias?.test(lowerCase))?.type ?? type;
	}
	const extension = /\.(\w{1,10})$/.exec(name)?.[1].toLowerCase() ?? '';
	const named = typeWith(extension)?.type;
	if (named && isNothing) return named;
	if (named?.startsWith('text/')) return type;
	const begin = (await beginning()).toString('latin1');
	const begun = FILE_TYPES.find(({ begins }) => begins?.test(begin))?.type;
	return begun ?? (isNothing ? UNKNOWN : type);
}

/** The usual extension of files of a type; undefined where there is none, or the type tells nothing. */
export function extensionOf(mimeType: string): string | undefined {
	const known = FILE_TYPES.find(({ type }) => type === mimeType.toLowerCase());
	return known?.type === PLAIN_TEXT ? undefined : known?.extensions[0];
}

/**
 * Whether a name ends with an extension. What stands after its last dot may belong to the name, as in
 * `Acme.com` or `Invoice No.A12`: where files of a type have few extensions, only known ones count.
 * @param usual the extension that the file's type usually has
 */
export function hasExtension(name: string, usual: string): boolean {
	const own = /\.([a-z]\w{0,9})$/i.exec(name)?.[1].toLowerCase();
	if (own === undefined) return false;
	const type = typeWith(usual);
	return type === undefined || type.hasOthers === true || typeWith(own) !== undefined;
}
