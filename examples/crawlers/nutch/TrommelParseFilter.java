// UNTESTED: written against the interface of Nutch 1.2x (org.apache.nutch.parse.HtmlParseFilter).
package org.example.trommel;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.nutch.parse.HTMLMetaTags;
import org.apache.nutch.parse.HtmlParseFilter;
import org.apache.nutch.parse.Parse;
import org.apache.nutch.parse.ParseResult;
import org.apache.nutch.parse.ParseText;
import org.apache.nutch.protocol.Content;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.w3c.dom.DocumentFragment;

/**
 * Replaces the text of a page by its main text; title and outlinks stay those of Nutch. In
 * nutch-site.xml, add the plugin to plugin.includes and set trommel.url.
 */
public class TrommelParseFilter implements HtmlParseFilter {
    private static final Logger LOG = LoggerFactory.getLogger(TrommelParseFilter.class);
    private final HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private Configuration configuration;

    @Override
    public ParseResult filter(Content content, ParseResult result, HTMLMetaTags tags, DocumentFragment doc) {
        String url = content.getUrl();
        Parse parse = result.get(url);
        if (parse == null) {
            return result;
        }
        String service = configuration.get("trommel.url", "http://127.0.0.1:8642");
        String target = service + "/extract?url=" + URLEncoder.encode(url, StandardCharsets.UTF_8);
        HttpRequest request = HttpRequest.newBuilder(URI.create(target))
            .timeout(Duration.ofSeconds(30))
            .header("Accept", "text/plain")
            .POST(HttpRequest.BodyPublishers.ofByteArray(content.getContent()))
            .build();
        try {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() == 200) {
                result.put(url, new ParseText(answer.body().strip()), parse.getData());
            } else {
                LOG.warn("{}: {} {}", url, answer.statusCode(), answer.body());
            }
        } catch (IOException e) {
            LOG.warn("{}: {}", url, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return result;
    }

    @Override
    public void setConf(Configuration configuration) {
        this.configuration = configuration;
    }

    @Override
    public Configuration getConf() {
        return configuration;
    }
}
