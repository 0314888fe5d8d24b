-- What a visitor does first.
\dt
\dn
\d customer
\d subscription
SELECT * FROM customer ORDER BY id LIMIT 3;
SELECT count(*) FROM customer;
SELECT c.name, p.title, s.seats
FROM subscription s JOIN customer c ON c.id = s.left_key JOIN product p ON p.sku = s.right_key
ORDER BY 1, 2 LIMIT 5;
