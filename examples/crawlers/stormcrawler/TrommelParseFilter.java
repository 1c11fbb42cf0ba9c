// UNTESTED: written against the interface of StormCrawler 3.4 (org.apache.stormcrawler).
package org.example.trommel;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.apache.stormcrawler.parse.ParseFilter;
import org.apache.stormcrawler.parse.ParseResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.w3c.dom.DocumentFragment;

/**
 * Replaces the text of a page by its main text. In parsefilters.json:
 *
 * <pre>{"class": "org.example.trommel.TrommelParseFilter", "name": "trommel",
 *  "params": {"url": "http://127.0.0.1:8642"}}</pre>
 */
public class TrommelParseFilter extends ParseFilter {
    private static final Logger LOG = LoggerFactory.getLogger(TrommelParseFilter.class);
    private HttpClient http;
    private String service;

    @Override
    public void configure(Map<String, Object> configuration, JsonNode parameters) {
        service = parameters.path("url").asText("http://127.0.0.1:8642");
        http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    }

    /** The bytes are enough. */
    @Override
    public boolean needsDOM() {
        return false;
    }

    @Override
    public void filter(String url, byte[] content, DocumentFragment doc, ParseResult parse) {
        String target = service + "/extract?url=" + URLEncoder.encode(url, StandardCharsets.UTF_8);
        HttpRequest request = HttpRequest.newBuilder(URI.create(target))
            .timeout(Duration.ofSeconds(30))
            .header("Accept", "text/plain")
            .POST(HttpRequest.BodyPublishers.ofByteArray(content))
            .build();
        try {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() == 200) {
                parse.get(url).setText(answer.body().strip());
                answer.headers().firstValue("X-Trommel-Confidence")
                    .ifPresent(value -> parse.get(url).getMetadata().setValue("trommel.confidence", value));
            } else {
                LOG.warn("{}: {} {}", url, answer.statusCode(), answer.body());
            }
        } catch (IOException e) {
            LOG.warn("{}: {}", url, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
