{{- define "logweir.labels" -}}
app.kubernetes.io/name: logweir
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}
{{- define "logweir.selector" -}}
app.kubernetes.io/name: logweir
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
