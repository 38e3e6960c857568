-- The tables of the quickstart: orders as an application has them, and the outbox beside them.
CREATE DATABASE order_db;
USE order_db;
CREATE TABLE orders (
  id BIGINT PRIMARY KEY, customer VARCHAR(64) NOT NULL, amount DECIMAL(10, 2) NOT NULL, created_at DATETIME(3) NOT NULL);
CREATE TABLE outbox_events (
  id BIGINT AUTO_INCREMENT PRIMARY KEY, aggregate_id VARCHAR(128) NOT NULL, event_type VARCHAR(128) NOT NULL, payload JSON NOT NULL,
  status ENUM('PENDING','SENT','FAILED') DEFAULT 'PENDING', retries INT DEFAULT 0, created_at DATETIME(3) NOT NULL,
  INDEX idx_status_created (status, created_at), INDEX idx_aggregate_id (aggregate_id));
CREATE TABLE outbox (
  id BIGINT AUTO_INCREMENT PRIMARY KEY, topic VARCHAR(255) NOT NULL, payload BLOB NOT NULL, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  published BOOLEAN DEFAULT FALSE, published_at TIMESTAMP NULL, INDEX idx_published (published, created_at));
CREATE TABLE consume_records (
  event_id VARCHAR(128) PRIMARY KEY, status ENUM('PROCESSING','PROCESSED','FAILED') DEFAULT 'PROCESSING',
  created_at DATETIME NOT NULL, updated_at DATETIME NOT NULL);
