"""The statements with which servers that share a database find out who is alive and owns what."""

from __future__ import annotations

from typing import LiteralString

BEAT: LiteralString = (
    "UPDATE floorline.servers SET seen = clock_timestamp() WHERE server = %s RETURNING server"
)
JOIN: LiteralString = (
    "INSERT INTO floorline.servers (server, address, seen) VALUES (%s, %s, clock_timestamp())"
)
LEAVE: LiteralString = "DELETE FROM floorline.servers WHERE server = %s"
END_SESSIONS_OF_SILENT: LiteralString = """
SELECT pg_terminate_backend(pid) FROM floorline.servers
JOIN pg_stat_activity ON application_name = 'floorline-' || server
WHERE seen < clock_timestamp() - %s * interval '1 second' AND datname = current_database()
"""
EXPEL_SILENT: LiteralString = """
WITH expelled AS (
    DELETE FROM floorline.servers
    WHERE seen < clock_timestamp() - %s * interval '1 second' RETURNING server, address, seen
), unserved AS (
    UPDATE floorline.campaigns SET unserved_since = seen
    FROM floorline.owners JOIN expelled USING (server)
    WHERE campaigns.campaign = owners.campaign
)
SELECT address FROM expelled
"""
SERVERS: LiteralString = "SELECT server, address FROM floorline.servers"
OWNERS: LiteralString = (
    "SELECT name, server FROM floorline.owners JOIN floorline.campaigns USING (campaign)"
)
UNSERVED_SINCE: LiteralString = """
SELECT extract(epoch FROM coalesce(seen, unserved_since))::double precision
FROM floorline.campaigns
LEFT JOIN floorline.owners ON owners.campaign = campaigns.campaign AND server <> %s
LEFT JOIN floorline.servers USING (server)
WHERE name = %s AND NOT retired
"""
CLAIM: LiteralString = """
WITH claimed AS (
    UPDATE floorline.campaigns SET unserved_since = NULL WHERE name = %s AND NOT retired
    RETURNING campaign
)
INSERT INTO floorline.owners SELECT campaign, %s FROM claimed
ON CONFLICT (campaign) DO UPDATE SET server = excluded.server
"""
RELEASE: LiteralString = """
DELETE FROM floorline.owners WHERE server = %s
AND campaign = (SELECT campaign FROM floorline.campaigns WHERE name = %s)
"""
REFUSED_ELSEWHERE: LiteralString = """
WITH here AS (UPDATE floorline.servers SET refused = %s WHERE server = %s)
SELECT server, refused FROM floorline.servers WHERE server <> %s
"""
