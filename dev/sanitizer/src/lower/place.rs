//! Lowers pointers to places in registers or resources, and the accesses through them.

use naga::{
    AddressSpace, ArraySize, AtomicFunction, Expression, GlobalVariable, Handle, ScalarKind, Type, TypeInner,
};

use super::{Lowering, Value};
use crate::Error;
use crate::code::{Binary, Extent, NONE, Opcode, Reg, Word};

/// Where a value lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    root: Root,
    /// Register of the offset from the root, counted in registers or bytes; or [`NONE`].
    offset: Reg,
    /// Further constant offset, in the same unit.
    plus: u32,
    /// The type of the value; `None` for a component of a vector.
    ty: Option<Handle<Type>>,
}

#[derive(Clone, Copy, Debug)]
enum Root {
    /// Consecutive variables: the first one and their number.
    Registers(Reg, u32),
    Resource(u32),
}

impl Place {
    /// The first register of a place in registers.
    pub(super) fn first(&self) -> Reg {
        match self.root {
            Root::Registers(first, _) => first + self.plus,
            Root::Resource(_) => unreachable!("a resource has no registers"),
        }
    }
}

impl<'a> Lowering<'a> {
    fn scalar(&self, scalar: naga::Scalar) -> Result<(), Error> {
        match (scalar.kind, scalar.width) {
            (ScalarKind::Bool, _) | (ScalarKind::Uint | ScalarKind::Sint | ScalarKind::Float, 4) => Ok(()),
            (kind, width) => self.unsupported(format!("{kind:?} of {} bits", 8 * width)),
        }
    }

    /// Number of scalars in a value of a type.
    pub(super) fn count(&self, ty: Handle<Type>) -> Result<usize, Error> {
        let mut bytes = Vec::new();
        self.bytes(ty, 0, &mut bytes)?;
        Ok(bytes.len())
    }

    /// Appends the byte offset of each scalar of a value that begins at byte `from`.
    fn bytes(&self, ty: Handle<Type>, from: u32, bytes: &mut Vec<u32>) -> Result<(), Error> {
        match self.module.types[ty].inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                self.scalar(scalar)?;
                bytes.push(from);
            }
            TypeInner::Vector { size, scalar } => {
                self.scalar(scalar)?;
                bytes.extend((0..size as u32).map(|i| from + 4 * i));
            }
            TypeInner::Array { base, size: ArraySize::Constant(size), stride } => {
                for i in 0..size.get() {
                    self.bytes(base, from + i * stride, bytes)?;
                }
            }
            TypeInner::Struct { ref members, .. } => {
                for member in members {
                    self.bytes(member.ty, from + member.offset, bytes)?;
                }
            }
            ref other => return self.unsupported(format!("{other:?}")),
        }
        Ok(())
    }

    /// A new variable of a type.
    pub(super) fn variable(&mut self, ty: Handle<Type>) -> Result<Place, Error> {
        let count = self.count(ty)? as u32;
        let root = Root::Registers(self.out.variables(count), count);
        Ok(Place { root, offset: NONE, plus: 0, ty: Some(ty) })
    }

    pub(super) fn zeros(&mut self, ty: Handle<Type>) -> Result<Vec<Reg>, Error> {
        Ok(vec![self.out.constant(0); self.count(ty)?])
    }

    /// The place of a variable of the module.
    pub(super) fn global(&mut self, handle: Handle<GlobalVariable>) -> Result<Place, Error> {
        if let Some(place) = self.globals.get(&handle) {
            return Ok(*place);
        }
        let global = &self.module.global_variables[handle];
        let place = match (global.space, &global.binding) {
            (AddressSpace::Storage { .. } | AddressSpace::Uniform, Some(binding)) => {
                let root = Root::Resource(self.out.resource(binding.group, binding.binding));
                Place { root, offset: NONE, plus: 0, ty: Some(global.ty) }
            }
            (AddressSpace::WorkGroup, _) => {
                let size = self.module.types[global.ty].inner.size(self.module.to_ctx());
                let root = Root::Resource(self.out.shared(size));
                Place { root, offset: NONE, plus: 0, ty: Some(global.ty) }
            }
            (AddressSpace::Private, _) => self.variable(global.ty)?,
            (space, _) => return self.unsupported(format!("memory of {space:?}")),
        };
        self.globals.insert(handle, place);
        Ok(place)
    }

    /// Assigns the initial values of private variables.
    pub(super) fn private_variables(&mut self) -> Result<(), Error> {
        for (handle, global) in self.module.global_variables.iter() {
            if global.space == AddressSpace::Private {
                let place = self.global(handle)?;
                let initial = match global.init {
                    Some(init) => self.constant_expression(init)?,
                    None => self.zeros(global.ty)?,
                };
                self.out.assign(place.first(), &initial);
            }
        }
        Ok(())
    }

    pub(super) fn place_of(&mut self, pointer: Handle<Expression>) -> Result<Place, Error> {
        match self.value(pointer)? {
            Value::Place(place) => Ok(place),
            Value::Registers(_) => self.unsupported("a value where a pointer is needed"),
        }
    }

    /// The type of the value at a place; an error for a component of a vector, which has no parts.
    fn inner_at(&self, place: Place) -> Result<&'a TypeInner, Error> {
        let Some(ty) = place.ty else { return self.unsupported("a part of a scalar") };
        Ok(&self.module.types[ty].inner)
    }

    /// The place of the `index`-th part of the value at `place`.
    pub(super) fn part(&mut self, place: Place, index: u32) -> Result<Place, Error> {
        let TypeInner::Struct { members, .. } = self.inner_at(place)? else {
            let index = self.out.constant(index);
            return self.element(place, index);
        };
        let member = &members[index as usize];
        let mut plus = place.plus;
        match place.root {
            Root::Resource(_) => plus += member.offset,
            Root::Registers(..) => {
                for before in &members[..index as usize] {
                    plus += self.count(before.ty)? as u32;
                }
            }
        }
        Ok(Place { plus, ty: Some(member.ty), ..place })
    }

    /// The place of an element of an array or a vector; the register `index` has its index.
    pub(super) fn element(&mut self, place: Place, index: Reg) -> Result<Place, Error> {
        let (ty, extent, bytes) = match *self.inner_at(place)? {
            TypeInner::Vector { size, .. } => (None, Some(size as u32), 4),
            TypeInner::Array { base, size: ArraySize::Constant(size), stride } => {
                (Some(base), Some(size.get()), stride)
            }
            TypeInner::Array { base, stride, .. } => (Some(base), None, stride),
            ref other => return self.unsupported(format!("an index into {other:?}")),
        };
        let registers = ty.map_or(Ok(1), |ty| self.count(ty))? as u32;
        let stride = if matches!(place.root, Root::Registers(..)) { registers } else { bytes };
        if let (Some(known), Some(extent)) = (self.out.known(index), extent)
            && known < extent
        {
            return Ok(Place { plus: place.plus + known * stride, ty, ..place });
        }
        let extent = match (extent, place.root) {
            (Some(extent), _) => Extent::Fixed(extent),
            (None, Root::Resource(resource)) => Extent::Runtime { resource, from: place.plus, stride },
            (None, Root::Registers(..)) => return self.unsupported("a variable of unknown size"),
        };
        let offset = self.out.compute(Opcode::Address { stride, extent }, &[place.offset, index]);
        if let Root::Registers(first, count) = place.root {
            self.out.arrays.push((first, count));
        }
        Ok(Place { offset, ty, ..place })
    }

    /// Number of elements of the array at a place.
    pub(super) fn length(&mut self, place: Place) -> Result<Reg, Error> {
        match (self.inner_at(place)?, place.root) {
            (&TypeInner::Array { stride, .. }, Root::Resource(resource)) => {
                let extent = Extent::Runtime { resource, from: place.plus, stride };
                Ok(self.out.compute(Opcode::Length(extent), &[]))
            }
            other => self.unsupported(format!("the length of {other:?}")),
        }
    }

    /// The words of the value at a place in a resource.
    fn words(&self, place: Place, resource: u32) -> Result<Vec<Word>, Error> {
        let (mut bytes, mut is_atomic) = (vec![place.plus], false);
        if let Some(ty) = place.ty {
            bytes.clear();
            self.bytes(ty, place.plus, &mut bytes)?;
            is_atomic = matches!(self.module.types[ty].inner, TypeInner::Atomic(_));
        }
        Ok(bytes.into_iter().map(|plus| Word { resource, plus, is_atomic }).collect())
    }

    pub(super) fn load(&mut self, place: Place) -> Result<Vec<Reg>, Error> {
        let offset = place.offset;
        Ok(match place.root {
            Root::Registers(..) => {
                let count = place.ty.map_or(Ok(1), |ty| self.count(ty))?;
                let each = (place.first()..).take(count);
                if offset == NONE {
                    each.map(|variable| self.out.read(variable)).collect()
                } else {
                    each.map(|first| self.out.compute(Opcode::ReadRegister, &[first, offset])).collect()
                }
            }
            Root::Resource(resource) => {
                let words = self.words(place, resource)?.into_iter();
                words.map(|word| self.out.compute(Opcode::Load(word), &[offset])).collect()
            }
        })
    }

    pub(super) fn store(&mut self, place: Place, values: &[Reg]) -> Result<(), Error> {
        let offset = place.offset;
        match place.root {
            Root::Registers(..) if offset == NONE => self.out.assign(place.first(), values),
            Root::Registers(first, count) => {
                for (element, &from) in (place.first()..).zip(values) {
                    self.out.emit(Opcode::WriteRegister, &[element, offset, from]);
                }
                self.out.held.retain(|variable, _| !(first..first + count).contains(variable));
            }
            Root::Resource(resource) => {
                for (word, &from) in self.words(place, resource)?.into_iter().zip(values) {
                    self.out.emit(Opcode::Store(word), &[offset, from]);
                }
            }
        }
        Ok(())
    }

    /// Lowers an atomic operation; returns the registers of the result.
    pub(super) fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        fun: AtomicFunction,
        value: Handle<Expression>,
    ) -> Result<Vec<Reg>, Error> {
        let op = match fun {
            AtomicFunction::Add => Binary::Add,
            AtomicFunction::ExclusiveOr => Binary::Xor,
            other => return self.unsupported(format!("the atomic function {other:?}")),
        };
        let from = self.register_of(value)?;
        let place = self.place_of(pointer)?;
        let Root::Resource(resource) = place.root else { return self.unsupported("an atomic variable") };
        let word = Word { resource, plus: place.plus, is_atomic: true };
        Ok(vec![self.out.compute(Opcode::Atomic(op, word), &[place.offset, from])])
    }
}
