import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.tools.attach.VirtualMachine;
import java.io.File;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.management.InstanceNotFoundException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Runs Debezium on one case after the other and writes down what it published. Part of tests/record.sh. */
public class Recorder {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String OTHER_DATABASES = "SELECT schema_name FROM information_schema.schemata"
        + " WHERE schema_name NOT IN ('mysql', 'sys', 'performance_schema', 'information_schema')";
    /** How long nothing may arrive before a case counts as done: four of Debezium's poll intervals. */
    private static final long QUIET_MS = 2_000;
    private static final long DEADLINE_MS = 60_000;
    private static final String NO_METRICS = "no metrics";

    private final String servers;
    private final String bootstrapServers = environment("OUTFLOW_TEST_RECORD_BOOTSTRAP_SERVERS");
    private final String mysql = environment("OUTFLOW_TEST_RECORD_MYSQL");
    private final String connectUrl = environment("OUTFLOW_TEST_RECORD_CONNECT_URL");
    private final HttpClient http = HttpClient.newHttpClient();
    private final Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers));
    private final MBeanServerConnection metrics;

    private Recorder(String servers) throws Exception {
        this.servers = servers;
        VirtualMachine worker = VirtualMachine.attach(environment("OUTFLOW_TEST_RECORD_CONNECT_PID"));
        String address = worker.startLocalManagementAgent();
        worker.detach();
        metrics = JMXConnectorFactory.connect(new JMXServiceURL(address)).getMBeanServerConnection();
    }

    /** Arguments: servers.sh, then pairs of a case's folder and the folder to write to. */
    public static void main(String[] arguments) throws Exception {
        Recorder recorder = new Recorder(arguments[0]);
        int failed = 0;
        for (int i = 1; i + 1 < arguments.length; i += 2) {
            long started = System.currentTimeMillis();
            try {
                String outcome = recorder.record(Path.of(arguments[i]), Path.of(arguments[i + 1]));
                long elapsed = System.currentTimeMillis() - started;
                System.err.printf("record: %s: %s, %d ms%n", arguments[i], outcome, elapsed);
            } catch (Exception e) {
                System.err.printf("record: %s: not recorded: %s%n", arguments[i], e);
                failed++;
            }
        }
        System.exit(failed == 0 ? 0 : 1);
    }

    private static String environment(String name) {
        String value = System.getenv(name);
        if (value == null) {
            throw new IllegalStateException(name + " is not set: start by tests/record.sh");
        }
        return value;
    }

    private String record(Path folder, Path target) throws Exception {
        JsonNode file = JSON.readTree(folder.resolve("connector.json").toFile());
        String name = file.path("name").asText(folder.toAbsolutePath().normalize().getFileName().toString());
        ObjectNode config = configure(file.has("config") ? file.get("config") : file, name);
        clean(name);
        sql(folder.resolve("before.sql"), null);

        String failure = register(name, config);
        String historyTopic = config.get("schema.history.internal.kafka.topic").asText();
        if (failure == null) {
            boolean streams = !config.path("snapshot.mode").asText().trim().equalsIgnoreCase("initial_only");
            await("the connector to stream", () -> (streams ? streaming("Connected")
                : metric("snapshot", "SnapshotCompleted")).equals(true) || failure(name) != null);
            sql(folder.resolve("input.sql"), null);
            failure = awaitQuiet(name, historyTopic, streams);
        }
        List<String> lines = read(topics(historyTopic, true));
        write(target, lines, failure);
        forget(name);
        return lines.size() + " records" + (failure == null ? "" : ", then FAILED");
    }

    /** The file as its user has it; only where the servers are is replaced. */
    private ObjectNode configure(JsonNode given, String name) {
        ObjectNode config = given.deepCopy();
        int colon = mysql.lastIndexOf(':');
        config.put("name", name);
        config.put("database.hostname", mysql.substring(0, colon));
        config.put("database.port", mysql.substring(colon + 1));
        config.put("database.user", "debezium");
        config.put("database.password", "dbz_pass");
        config.put("schema.history.internal.kafka.bootstrap.servers", bootstrapServers);
        if (!config.has("schema.history.internal.kafka.topic")) {
            config.put("schema.history.internal.kafka.topic", "schema-" + name);
        }
        return config;
    }

    /** Leaves no connector, stored offset, topic or database of an earlier recording: the servers are the recorder's own. */
    private void clean(String name) throws Exception {
        for (JsonNode old : request("GET", "/connectors", null)) {
            forget(old.asText());
        }
        forgetOffsets(name);
        Set<String> old = topics("", false);
        admin.deleteTopics(old).all().get();
        await("old topics to go", () -> topics("", false).isEmpty());
        for (String database : sql(null, OTHER_DATABASES).lines().toList()) {
            sql(null, "DROP DATABASE `" + database.replace("`", "``") + "`");
        }
    }

    private void forget(String name) throws Exception {
        if (!exists(name)) {
            return; // Connect refused it.
        }
        request("PUT", path(name) + "/stop", "");
        await(name + " to stop", () -> {
            JsonNode status = request("GET", path(name) + "/status", null);
            return status.path("tasks").isEmpty() && status.path("connector").path("state").asText().equals("STOPPED");
        });
        await("offsets of " + name + " to go", () -> request("DELETE", path(name) + "/offsets", null).has("message"));
        request("DELETE", path(name), null);
        await(name + " to go", () -> !exists(name));
        await("its metrics to go", () -> streaming("Connected").equals(NO_METRICS));
    }

    private boolean exists(String name) throws Exception {
        return request("GET", path(name), null).path("error_code").asInt() != 404;
    }

    /** Offsets outlive a connector that was deleted without them, and only an existing one can lose them. */
    private void forgetOffsets(String name) throws Exception {
        ObjectNode body = JSON.createObjectNode().put("name", name).put("initial_state", "STOPPED");
        body.putObject("config").put("connector.class", "io.debezium.connector.mysql.MySqlConnector").put("name", name)
            .put("topic.prefix", name).put("database.server.id", "1000");
        body.set("config", configure(body.get("config"), name));
        request("POST", "/connectors", body.toString());
        forget(name);
    }

    /** Registers the connector; what Connect answers when it refuses the file is the failure. */
    private String register(String name, ObjectNode config) throws Exception {
        ObjectNode body = JSON.createObjectNode().put("name", name);
        body.set("config", config);
        JsonNode answer = request("POST", "/connectors", body.toString());
        return answer.has("error_code") ? answer.path("message").asText() : null;
    }

    private JsonNode request(String method, String path, String body) throws Exception {
        HttpRequest.BodyPublisher publisher =
            body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
        HttpRequest request = HttpRequest.newBuilder(URI.create(connectUrl + path)).method(method, publisher)
            .header("Content-Type", "application/json").timeout(Duration.ofSeconds(90)).build();
        String answer = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        return answer.isBlank() ? JSON.createObjectNode() : JSON.readTree(answer);
    }

    private static String path(String name) {
        return "/connectors/" + URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** The trace's own lines when connector or task is FAILED, else null. */
    private String failure(String name) throws Exception {
        JsonNode status = request("GET", path(name) + "/status", null);
        List<JsonNode> parts = new ArrayList<>(List.of(status.path("connector")));
        status.path("tasks").forEach(parts::add);
        for (JsonNode part : parts) {
            if (part.path("state").asText().equals("FAILED")) {
                List<String> trace = part.path("trace").asText().lines().toList();
                return trace.stream().filter(line -> line == trace.get(0) || line.startsWith("Caused by:"))
                    .collect(Collectors.joining("\n"));
            }
        }
        return null;
    }

    /** An attribute of Debezium's streaming metrics; each task has them as long as it streams. */
    private Object streaming(String attribute) throws Exception {
        return metric("streaming", attribute);
    }

    private Object metric(String context, String attribute) throws Exception {
        Set<ObjectName> names =
            metrics.queryNames(new ObjectName("debezium.mysql:type=connector-metrics,context=" + context + ",*"), null);
        try {
            for (ObjectName name : names) {
                Object value = metrics.getAttribute(name, attribute);
                return value == null ? "" : value;
            }
        } catch (InstanceNotFoundException e) {
            // The task ended between the two questions.
        }
        return NO_METRICS;
    }

    /** Waits until everything is read, or the connector failed, and then nothing arrives for a while. */
    private String awaitQuiet(String name, String historyTopic, boolean streams) throws Exception {
        String[] end = sql(null, "SHOW BINARY LOG STATUS").split("\t");
        long deadline = System.currentTimeMillis() + DEADLINE_MS;
        long count = -1;
        long quietSince = 0;
        String failure = null;
        while (true) {
            long now = System.currentTimeMillis();
            failure = failure(name);
            long newCount = endOffsets(topics(historyTopic, false)).values().stream().mapToLong(Long::longValue).sum();
            if (newCount != count || failure == null && streams && !reached(end[0], Long.parseLong(end[1]))) {
                quietSince = now;
            }
            count = newCount;
            if (now - quietSince >= QUIET_MS) {
                return failure;
            }
            if (now > deadline) {
                throw new IllegalStateException("the connector did not come to the end of the binary log");
            }
            Thread.sleep(100);
        }
    }

    /** The client's position moves after an event was handed on, so what is before it was at least queued. */
    private boolean reached(String file, long pos) throws Exception {
        String nowFile = streaming("BinlogFilename").toString();
        if (nowFile.equals(NO_METRICS) || !(streaming("BinlogPosition") instanceof Number nowPos)) {
            return false;
        }
        int order = nowFile.compareTo(file);
        return order > 0 || order == 0 && nowPos.longValue() >= pos;
    }

    /** What the connector wrote to: all topics but the broker's, the worker's and the history; heartbeats if asked. */
    private Set<String> topics(String historyTopic, boolean heartbeats) throws Exception {
        return admin.listTopics(new ListTopicsOptions().listInternal(false)).names().get().stream()
            .filter(topic -> !topic.startsWith("connect-record-") && !topic.equals(historyTopic))
            .filter(topic -> heartbeats || historyTopic.isEmpty() || !topic.startsWith("__debezium-heartbeat"))
            .collect(Collectors.toSet());
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        return new KafkaConsumer<>(Map.of("bootstrap.servers", bootstrapServers, "enable.auto.commit", false),
            new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private final KafkaConsumer<byte[], byte[]> consumer = consumer();

    private Map<TopicPartition, Long> endOffsets(Set<String> topics) {
        List<TopicPartition> partitions = topics.stream().flatMap(topic -> consumer.partitionsFor(topic).stream())
            .map(info -> new TopicPartition(info.topic(), info.partition())).toList();
        return consumer.endOffsets(partitions);
    }

    /** All records as lines, ordered by topic, partition and offset. */
    private List<String> read(Set<String> topics) {
        Map<TopicPartition, Long> ends = endOffsets(topics);
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> records = new TreeMap<>(
            Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition));
        consumer.assign(ends.keySet());
        consumer.seekToBeginning(ends.keySet());
        long deadline = System.currentTimeMillis() + DEADLINE_MS;
        while (!ends.entrySet().stream().allMatch(end -> consumer.position(end.getKey()) >= end.getValue())) {
            if (System.currentTimeMillis() > deadline) {
                throw new IllegalStateException("the broker did not give all records");
            }
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                records.computeIfAbsent(new TopicPartition(record.topic(), record.partition()), p -> new ArrayList<>())
                    .add(record);
            }
        }
        return records.values().stream().flatMap(List::stream).map(Recorder::line).toList();
    }

    private static String line(ConsumerRecord<byte[], byte[]> record) {
        List<String> headers = new ArrayList<>();
        for (Header header : record.headers()) {
            headers.add("[" + quote(header.key()) + ", " + bytes(header.value()) + "]");
        }
        return "{\"topic\": " + quote(record.topic()) + ", \"partition\": " + record.partition()
            + ", \"key\": " + bytes(record.key()) + ", \"value\": " + bytes(record.value())
            + ", \"headers\": [" + String.join(", ", headers) + "], \"timestamp\": " + record.timestamp() + "}";
    }

    private static String bytes(byte[] bytes) {
        if (bytes == null) {
            return "null";
        }
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            return "{\"utf8\": " + quote(text) + "}";
        } catch (CharacterCodingException notText) {
            return "{\"base64\": " + quote(Base64.getEncoder().encodeToString(bytes)) + "}";
        }
    }

    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                case '\b' -> quoted.append("\\b");
                case '\f' -> quoted.append("\\f");
                default -> quoted.append(c < 0x20 ? String.format("\\u%04x", (int) c) : String.valueOf(c));
            }
        }
        return quoted.append('"').toString();
    }

    private static void write(Path target, List<String> lines, String failure) throws Exception {
        Files.createDirectories(target);
        Files.write(target.resolve("expected.jsonl"), lines);
        Path failureFile = target.resolve("expected-failure.txt");
        if (failure == null) {
            Files.deleteIfExists(failureFile);
        } else {
            Files.writeString(failureFile, failure + "\n");
        }
    }

    /** Runs a script or a statement by the mysql client and returns what it prints. */
    private String sql(Path script, String statement) throws Exception {
        List<String> command = new ArrayList<>(List.of(servers, "mysql:record", "--batch", "--skip-column-names"));
        if (statement != null) {
            command.addAll(List.of("-e", statement));
        }
        Process process = new ProcessBuilder(command)
            .redirectInput(script == null ? new File("/dev/null") : script.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException("mysql refused " + (script == null ? statement : script));
        }
        return output;
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void await(String what, Condition condition) throws Exception {
        long deadline = System.currentTimeMillis() + DEADLINE_MS;
        while (!condition.holds()) {
            if (System.currentTimeMillis() > deadline) {
                throw new IllegalStateException("waited in vain for " + what);
            }
            Thread.sleep(50);
        }
    }
}
