import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Main text of a page from the trommel service, with nothing but the JDK (16 or later): over HTTP by
 * java.net.http.HttpClient, or over a Unix socket, which HttpClient cannot do, by a request of our own.
 *
 * <pre>java ExtractClient.java http://127.0.0.1:8642 page.html https://example.org/page
 * java ExtractClient.java unix:/run/trommel/trommel.sock page.html https://example.org/page</pre>
 */
public final class ExtractClient {
    private final String service;
    private final HttpClient http = HttpClient.newHttpClient();

    public ExtractClient(String service) {
        this.service = service;
    }

    /** The document of a page as JSON. */
    public String extract(byte[] page, String url, String contentType) throws IOException, InterruptedException {
        String target = "/extract?url=" + URLEncoder.encode(url, StandardCharsets.UTF_8);
        if (service.startsWith("unix:")) {
            return overUnix(Path.of(service.substring(5)), target, page, contentType);
        }
        HttpRequest request = HttpRequest.newBuilder(URI.create(service + target))
            .header("Content-Type", contentType)
            .POST(HttpRequest.BodyPublishers.ofByteArray(page))
            .build();
        while (true) {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 429) {
                return checked(answer.statusCode(), answer.body());
            }
            Thread.sleep(1000 * answer.headers().firstValueAsLong("Retry-After").orElse(1));
        }
    }

    private static String overUnix(Path socket, String target, byte[] page, String contentType) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            String head = "POST " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: "
                + contentType + "\r\nContent-Length: " + page.length + "\r\n\r\n";
            for (byte[] part : new byte[][] {head.getBytes(StandardCharsets.US_ASCII), page}) {
                ByteBuffer buffer = ByteBuffer.wrap(part);
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
            }
            // The answer has a Content-Length, and the connection ends after it.
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            InputStream in = Channels.newInputStream(channel);
            in.transferTo(all);
            String answer = all.toString(StandardCharsets.UTF_8);
            int body = answer.indexOf("\r\n\r\n") + 4;
            int status = Integer.parseInt(answer.substring(9, 12));
            return checked(status, answer.substring(body));
        }
    }

    private static String checked(int status, String body) throws IOException {
        if (status != 200) {
            throw new IOException(status + ": " + body);
        }
        return body;
    }

    public static void main(String[] args) throws Exception {
        byte[] page = Files.readAllBytes(Path.of(args[1]));
        System.out.print(new ExtractClient(args[0]).extract(page, args[2], "text/html"));
    }
}
