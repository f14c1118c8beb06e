import type { INodeProperties } from 'n8n-workflow';

import { DETAIL_GROUPS } from '../../api/details/apiDetails';
import { DEFAULT_SIGNED_FROM_MB } from '../../api/upload';

export const inputDataFieldName: INodeProperties = {
	displayName: 'Input Data Field Name',
	name: 'binaryPropertyName',
	type: 'string',
	required: true,
	default: 'data',
	placeholder: 'e.g. attachment_*',
	hint: 'A name, names separated by commas, or a pattern: attachment_* takes all attachments, * every file',
	description:
		"The input item's fields that hold the files. Each file becomes a document. For a file of an earlier node, enter an expression that gives the file, or a list of files, e.g. <code>{{ $('Node').item.binary.data }}</code>.",
	builderHint: {
		propertyHint:
			"Names of binary fields: 'data' after most nodes, 'attachment_*' after email triggers, '*' for every file, whatever its field is called. An expression only for a file that the input item does not carry: it gives the file object of an earlier node's item, with no text beside it.",
	},
};

export const uploadMethod: INodeProperties = {
	displayName: 'Upload Method',
	name: 'uploadMethod',
	type: 'options',
	options: [
		{
			name: 'Automatic',
			value: 'automatic',
			description:
				'Large files by signed URL, if the credential is set up for it; all others directly',
		},
		{
			name: 'Direct',
			value: 'direct',
			description: 'One request per file, for smaller files',
		},
		{
			name: 'Signed URL',
			value: 'signed',
			description: `For large files: the file goes straight to storage, and the upload is then confirmed. Needs '${DETAIL_GROUPS.signedUploads.label}' in the credential.`,
		},
	],
	default: 'automatic',
	description: 'How to send files to the service',
};

export const fileOptions: INodeProperties[] = [
	{
		displayName: 'Keep Input Files',
		name: 'keepInputFiles',
		type: 'boolean',
		default: false,
		description: 'Whether to include each file in its output item',
	},
	{
		displayName: 'Max File Size (MB)',
		name: 'maxFileSizeMb',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description: 'Larger files are skipped and reported; 0 for no limit',
	},
	{
		displayName: 'MIME Types',
		name: 'mimeTypes',
		type: 'string',
		default: '',
		placeholder: 'e.g. application/pdf, image/*',
		description: 'Only files of these types are uploaded; the others are skipped and reported',
	},
	{
		displayName: 'Min File Size (MB)',
		name: 'minFileSizeMb',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'Smaller files are skipped and reported. 0.02 skips most logos in email signatures.',
	},
	{
		displayName: 'Signed URL From Size (MB)',
		name: 'signedFromMb',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: DEFAULT_SIGNED_FROM_MB,
		description: "Upload Method 'Automatic' uploads files of this size and above by signed URL",
	},
];
