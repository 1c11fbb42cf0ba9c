// UNTESTED: written against the interface of Heritrix 3.15 (ScriptedProcessor, JSR-223, engine "groovy").
//
// In crawler-beans.cxml, after fetchHttp in the chain fetchProcessors:
//
//     <bean class="org.archive.modules.ScriptedProcessor">
//       <property name="engineName" value="groovy"/>
//       <property name="scriptSource">
//         <bean class="org.archive.spring.ConfigFile">
//           <property name="path" value="trommel.groovy"/></bean></property></bean>
//
// Writes a document a line into trommel.jsonl in the folder of the job.

import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse

@groovy.transform.Field
static final HttpClient HTTP = HttpClient.newHttpClient()

void process(curi) {
    if (curi.fetchStatus != 200 || !(curi.contentType ?: '').toLowerCase().contains('html')) {
        return
    }
    def page = curi.recorder.contentReplayInputStream.withCloseable { it.readAllBytes() }
    def query = 'url=' + URLEncoder.encode(curi.URI, 'UTF-8') + '&status=' + curi.fetchStatus
    def request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:8642/extract?$query"))
        .header('Content-Type', curi.contentType)
        .POST(HttpRequest.BodyPublishers.ofByteArray(page))
        .build()
    def answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString())
    if (answer.statusCode() == 200) {
        synchronized (HTTP) {
            new File('trommel.jsonl').append(answer.body(), 'UTF-8')
        }
    } else {
        curi.annotations.add('trommel:' + answer.statusCode())
    }
}
