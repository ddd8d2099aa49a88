//! A map that keeps the entries used last.

use std::collections::HashMap;
use std::hash::Hash;

/// A limited number of values by key. A value that does not fit replaces the least recently used one.
pub(super) struct Recent<K, V> {
    capacity: usize,
    entries: HashMap<K, Entry<V>>,
    clock: u64,
}

struct Entry<V> {
    value: V,
    used: u64,
}

impl<K: Copy + Eq + Hash, V> Recent<K, V> {
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, entries: HashMap::new(), clock: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &K> {
        self.entries.keys()
    }

    pub(super) fn get(&mut self, key: &K) -> Option<&V> {
        let entry = self.entries.get_mut(key)?;
        self.clock += 1;
        entry.used = self.clock;
        Some(&entry.value)
    }

    /// Adds a value. Returns the key that left to make room.
    pub(super) fn insert(&mut self, key: K, value: V) -> Option<K> {
        self.clock += 1;
        self.entries.insert(key, Entry { value, used: self.clock });
        if self.entries.len() <= self.capacity {
            return None;
        }
        let oldest = *self.entries.iter().min_by_key(|(_, entry)| entry.used)?.0;
        self.entries.remove(&oldest);
        Some(oldest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_one_is_given_up() {
        let mut recent = Recent::new(3);
        for key in 0..3 {
            assert_eq!(recent.insert(key, key * 10), None);
        }
        assert_eq!(recent.get(&0), Some(&0));
        assert_eq!(recent.insert(3, 30), Some(1));
        assert_eq!((recent.get(&1).copied(), recent.get(&2).copied(), recent.len()), (None, Some(20), 3));
        assert_eq!(recent.insert(4, 40), Some(0));
        let mut keys: Vec<i32> = recent.keys().copied().collect();
        keys.sort_unstable();
        assert_eq!(keys, [2, 3, 4]);
        // A key that is present gets the new value, and no other key leaves.
        assert_eq!(recent.insert(2, 21), None);
        assert_eq!(recent.get(&2), Some(&21));
    }
}
