use std::time::Duration;

use crate::support::{Broker, Brokerless, Outbox, mysql};

/// How often the cluster names no brokers for a moment: the client forgets for good at some of them.
const TIMES: u64 = 10;
const MOMENT: Duration = Duration::from_millis(150);
/// Rows that are written between two of these moments.
const ROWS: u64 = 20;
/// Until everything is there.
const ALL_MAX: Duration = Duration::from_secs(150);

#[test]
fn a_cluster_that_names_no_brokers_for_a_moment_is_found_again() {
    let way = Brokerless::open();
    let (broker, seen) = Broker::behind("kafka:brokerless", way.port);
    way.lead_to(broker.port());
    let outbox = Outbox::on("brokerless", mysql().clone(), seen)
        .with("producer.override.metadata.max.age.ms", "50")
        .with("producer.override.socket.connection.setup.timeout.ms", "2000");
    let mut followed = outbox.follow();
    let outflow = outbox.start().ready();
    let mut sql = outbox.sql();
    for time in 0..TIMES {
        way.set(true);
        std::thread::sleep(MOMENT);
        way.set(false);
        sql.run(&Outbox::insert(time * ROWS + 1..(time + 1) * ROWS + 1, 5));
        std::thread::sleep(MOMENT);
    }
    followed.until(usize::try_from(TIMES * ROWS).unwrap(), ALL_MAX);
    assert_eq!(outflow.stop(), 0);
    followed.compare(&mut sql);
    drop((followed, outbox)); // Without a broker these take a minute to end.
    broker.stop();
}
